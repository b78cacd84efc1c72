"""A translator at work, and why a word must look at others."""

from .frame import K_COLOR, LINE, MARGIN, Q_COLOR, SMALL, WIDTH, Drawing, columns
from .sentence import PHRASE, SOURCE, TARGET

LOOKS_AT = {"off": "turn", "the": "radio", "new": "radio"}
GERMAN = {"turn": "schalte", "off": "aus", "the": "das", "new": "neue", "radio": "Radio"}
ALONE = {"off": "weg?", "the": "der? die?", "new": "neuer?"}


def translator_at_work() -> Drawing:
    """Draw a sentence that goes in and one that comes out, and words that need others."""
    drawing = Drawing(
        "A translator at work",
        "The encoder reads the English sentence, all words at once. The decoder writes the German "
        "one, word by word. Below: off needs turn, and the and new need radio, before they can be "
        "translated.",
    )
    _draw_translator(drawing)
    _draw_needs(drawing)
    return drawing


def _draw_translator(drawing: Drawing) -> None:
    """Draw the sentence, the encoder, the decoder and the translation."""
    source_y = 44
    box_y = 146
    target_y = 258
    box_height = 64
    encoder_x, decoder_x = columns(2, MARGIN, WIDTH - MARGIN)

    drawing.sentence(SOURCE, source_y)
    drawing.sentence(TARGET, target_y)
    encoder = drawing.box(encoder_x, box_y, 260, box_height)
    decoder = drawing.box(decoder_x, box_y, 260, box_height)
    drawing.two_lines(encoder, "encoder", "reads all words at once")
    drawing.two_lines(decoder, "decoder", "writes word after word")

    right = WIDTH - MARGIN
    under_the_source = source_y + 34
    over_the_target = target_y - 34
    drawing.bracket(MARGIN, right, under_the_source)
    drawing.arrow((encoder_x, under_the_source), encoder.at_top)
    drawing.arrow(encoder.at_right, decoder.at_left)
    drawing.arrow(decoder.at_bottom, (decoder_x, over_the_target))
    drawing.bracket(MARGIN, right, over_the_target, depth=-10)
    # the words written so far are read before the next one
    beside = (decoder.right + right) / 2
    drawing.arrow((beside, over_the_target), (beside, box_y), decoder.at_right)


def _draw_needs(drawing: Drawing) -> None:
    """Draw the words that cannot be translated alone, and arcs to those that they need."""
    drawing.rule(304)
    heading_y = 334
    word_y = 448
    german_y = 520
    alone_y = 554
    drawing.text(WIDTH / 2, heading_y, "Why a word must look at others", bold=True)

    middles = columns(len(PHRASE), MARGIN, WIDTH - MARGIN)
    words = {}
    for word, x in zip(PHRASE, middles, strict=True):
        if word in LOOKS_AT:
            color = Q_COLOR
        else:
            color = K_COLOR
        box = drawing.word(x, word_y, word, color)
        words[word] = box
        drawing.arrow(box.at_bottom, (x, german_y - 16))
        drawing.text(x, german_y, GERMAN[word], bold=word in LOOKS_AT)
        if word in ALONE:
            drawing.text(x, alone_y, f"or {ALONE[word]}", size=SMALL, color=LINE)

    # the arcs to one word end side by side, the longer one outside
    ends = {"off": 0, "new": -10, "the": 10}
    for word, other in LOOKS_AT.items():
        start = words[word]
        end = words[other].x + ends[word]
        drawing.arc(start.x, end, start.top - 3, 0.16 * abs(end - start.x) + 16, Q_COLOR)
