"""Two translators of which one has a head less, and their scores, for notebook 22.

    python -m helpers.two_translators

in the folder notebooks translates all sentences of the phrasebook by both, in a minute, and writes
their scores into two_translators.tsv.gz.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics import CHRF

from npformer.datasets import SentencePair, phrasebook
from npformer.tasks import Translator
from npformer.utils.files import read_lines

from .rounded import rounded_translator

FILE = Path(__file__).with_suffix(".tsv.gz")
HEAD = 0  # of encoder layer 0


def with_head() -> Translator:
    """Return A: the translator with seven values in each row of a matrix."""
    return rounded_translator(3, cut=0.9)


def without_head() -> Translator:
    """Return B: the same translator without head 0 of encoder layer 0."""
    translator = with_head()
    model: Any = translator.model
    attention = model.encoder.layers[0].self_attention.sublayer
    weight = attention.w_output.weight.data  # (n_heads * d_v, d_model)
    of_heads = weight.reshape(attention.n_heads, -1, weight.shape[-1])  # a view
    of_heads[HEAD] = 0  # what the head has found is not passed on
    return translator


def sentence_scores(translations: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Return chrF of each sentence, from 0 to 100.

    >>> sentence_scores(["Sie schläft.", "Er liest."], ["Sie schläft.", "Sie liest."]).round()
    array([100.,  52.])
    """
    chrf = CHRF()
    scores = []
    for translation, reference in zip(translations, references, strict=True):
        scores.append(chrf.sentence_score(translation, [reference]).score)
    return np.array(scores)


def all_pairs() -> list[SentencePair]:
    """Return the pairs of the phrasebook, the held-out ones first."""
    training, held_out = phrasebook.split()
    return [*held_out, *training]


def all_scores() -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of A and of B on all pairs, (20500,) each.

    >>> a, b = all_scores()
    >>> a.shape, bool(a.mean() > b.mean())
    ((20500,), True)
    """
    rows = [line.split("\t") for line in read_lines(FILE)]
    a, b = np.array(rows, dtype=float).T
    return a, b


def write_scores() -> None:
    """Translate all pairs by both, and write the file."""
    pairs = all_pairs()
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    columns = []
    for translator in (with_head(), without_head()):
        translations = translator.translate(sources, beam=1)
        columns.append(sentence_scores(translations, references))
    lines = "".join(f"{a:.2f}\t{b:.2f}\n" for a, b in zip(*columns, strict=True))
    # without a time, so that the same scores give the same file
    FILE.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    write_scores()
