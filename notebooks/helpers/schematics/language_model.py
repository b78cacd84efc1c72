"""A language model: it reads a text and predicts, at every position, the next character."""

from .frame import BOX_HEIGHT, FAINT, INK, LINE, MARGIN, SMALL, WIDTH, Drawing, columns

TEXT_READ = "The dog sleeps"
SPACE = "␣"


def shown(character: str) -> str:
    """Return a character as it is drawn: a space has a sign."""
    return SPACE if character == " " else character


def language_model() -> Drawing:
    """Draw the characters that are read, the decoder, and the characters that must come."""
    read = TEXT_READ[:-1]
    expected = TEXT_READ[1:]
    drawing = Drawing(
        "A language model",
        "A row of characters goes into the decoder. Above each position stands the character that "
        "it has to predict: the next one of the same text.",
    )
    left = 130
    xs = columns(len(read), left, WIDTH - MARGIN)
    width = (WIDTH - MARGIN - left) / len(read) - 6
    expected_y = 50
    decoder_y = 130
    read_y = 210
    drawing.text(MARGIN, expected_y, "predicts", anchor="start", size=SMALL)
    drawing.text(MARGIN, read_y, "reads", anchor="start", size=SMALL)
    middle = (xs[0] + xs[-1]) / 2
    decoder = drawing.box(middle, decoder_y, WIDTH - MARGIN - left - 6, 46, "")
    drawing.text(middle, decoder_y, "decoder: each position sees those to its left", size=SMALL)

    for x, input_character, target in zip(xs, read, expected, strict=True):
        below = drawing.box(x, read_y, width, BOX_HEIGHT, shown(input_character), edge=FAINT)
        above = drawing.box(x, expected_y, width, BOX_HEIGHT, shown(target), edge=INK)
        drawing.arrow(below.at_top, (x, decoder.bottom), color=LINE, thick=1.5)
        drawing.arrow((x, decoder.top), above.at_bottom, color=LINE, thick=1.5)
    return drawing
