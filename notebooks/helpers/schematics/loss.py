"""The gradient of the loss by the logits: what the model says, minus what is right."""

import numpy as np

from npformer.layers import Softmax

from .bars import draw_row_of_bars, middles_of_bars
from .frame import GRADIENT_COLOR, INK, LINE, MARGIN, MINUS, WIDTH, Drawing, number

WRITTEN = "Ich"
CHOICES = ["schalte", "drehe", "Radio", "neue", "aus"]
LOGITS = np.array([2.0, 1.0, 0.0, -1.0, 0.0])
CORRECT = 0


def loss(*, gradient: bool = True) -> Drawing:
    """Draw p, q and, with the gradient, p - q for the word that follows."""
    title = "The loss of a prediction"
    description = (
        "Which word follows Ich? Bars of p, the probabilities of five words, and of q, which is 1 "
        "for schalte."
    )
    if gradient:
        title = "The loss, and its gradient p - q"
        description += " Bars of p - q: the gradient is negative for the correct word alone."
    drawing = Drawing(title, description)
    p = Softmax()(LOGITS)
    q = np.eye(len(LOGITS))[CORRECT]

    word_y = 52
    unit = 76
    drawing.word(MARGIN + 30, word_y, WRITTEN)
    drawing.arrow((MARGIN + 66, word_y), (MARGIN + 122, word_y))
    drawing.text(MARGIN + 146, word_y, "?", bold=True)
    for j, x in enumerate(middles_of_bars(len(CHOICES))):
        drawing.text(x, word_y, CHOICES[j], bold=j == CORRECT)
    draw_row_of_bars(drawing, 160, "p", "what the model says", p, unit, INK)
    draw_row_of_bars(drawing, 294, "q", "what is right", q, unit, LINE)
    text_y = 354
    if gradient:
        name = f"p {MINUS} q"
        draw_row_of_bars(drawing, 380, name, "gradient of the logits", p - q, unit, GRADIENT_COLOR)
        text_y = 470
    loss_of_word = -np.log(p[CORRECT])
    drawing.text(
        WIDTH / 2,
        text_y,
        f"loss = {MINUS}ln p(schalte) = {MINUS}ln {number(p[CORRECT], 2)} "
        f"= {number(loss_of_word, 2)} nats",
        bold=True,
    )
    return drawing
