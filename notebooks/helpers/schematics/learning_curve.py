"""A loss on its way from knowing nothing to its floor."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from npformer import Vocabulary
from npformer.datasets.shipped import read_pairs
from npformer.text import BOS, EOS

from .frame import INK, LINE, MARGIN, SMALL, WIDTH, Drawing

EPS = 0.1  # of label smoothing
N_SENTENCES = 4000  # of the phrasebook; all take a second, and the lines hardly move
N_TOKENS = 825  # of the translator


def smoothed_entropy(counts: Counter, n_tokens: int) -> float:
    """Return the loss of the best guess where tokens follow with these counts."""
    p = np.full(n_tokens, EPS / n_tokens)
    total = sum(counts.values())
    for token, count in counts.items():
        p[token] += (1 - EPS) * count / total
    return float(-(p * np.log(p)).sum())


def losses_of_guesses(sentences: Iterable[str], n_tokens: int | None = None) -> list[float]:
    """Return the loss of a model that knows nothing, frequencies, the word before, everything.

    Arguments:
        sentences: those that it has to predict
        n_tokens: the size of the model's vocabulary, by default that of the sentences'
    """
    sentences = list(sentences)
    vocabulary = Vocabulary.build(sentences)
    frequencies: Counter = Counter()
    after: dict[int, Counter] = defaultdict(Counter)
    for sentence in sentences:
        ids = [BOS, *vocabulary.encode(sentence), EOS]
        frequencies.update(ids[1:])
        for token, following in pairwise(ids):
            after[token][following] += 1

    n_tokens = n_tokens or len(vocabulary)
    n_predicted = sum(frequencies.values())
    by_word_before = 0.0
    for counts in after.values():
        share = sum(counts.values()) / n_predicted
        by_word_before += share * smoothed_entropy(counts, n_tokens)
    certain = Counter({0: 1})
    return [
        float(np.log(n_tokens)),
        smoothed_entropy(frequencies, n_tokens),
        by_word_before,
        smoothed_entropy(certain, n_tokens),
    ]


def learning_curve() -> Drawing:
    """Draw a loss that falls past what can be reached with less and less knowledge."""
    drawing = Drawing(
        "A learning curve, and what is learned when",
        "The loss falls from ln V, where the model knows nothing, past the loss of one that knows "
        "how frequent words are and past that of one that sees the word before, to the floor of "
        "label smoothing. The lines are those of the German phrasebook, the curve is a sketch.",
    )
    targets = [pair.target for pair in read_pairs("phrasebook")[:N_SENTENCES]]
    levels = losses_of_guesses(targets, N_TOKENS)
    names = (
        "ln V: every word alike",
        "knows which words are frequent",
        "knows which word follows which",
        "floor: sure of every word",
    )
    top = 60
    base = 430
    left = 96
    right = WIDTH - MARGIN
    unit = (base - top) / levels[0]
    drawing.text(MARGIN, 28, "loss in nats", size=SMALL, anchor="start")
    drawing.line((left, top - 12), (left, base), (right, base), color=LINE)
    for level, name in zip(levels, names, strict=True):
        y = base - unit * level
        drawing.line((left, y), (right, y), color=LINE, thick=1.5, dashed=True)
        drawing.text(left - 12, y, f"{level:.2f}", size=SMALL, anchor="end")
        # the curve comes down to the last line, so its name is below
        above = -16 if level > levels[-1] else 16
        drawing.text(right, y + above, name, size=SMALL, anchor="end")

    start = levels[0]
    floor = levels[-1]
    points = []
    for x in np.linspace(left, right, 100):
        done = (x - left) / (right - left)
        loss = floor + (start - floor) * np.exp(-6 * done)
        points.append((float(x), float(base - unit * loss)))
    drawing.curve(points, color=INK)
    drawing.text(right, base + 20, "updates", size=SMALL, anchor="end")
    drawing.text(left, base + 20, "the curve is a sketch", size=SMALL, color=LINE, anchor="start")
    return drawing
