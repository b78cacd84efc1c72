"""Alignment error rate: how far the links between words of sentence pairs are from gold links."""

from collections.abc import Collection, Sequence
from operator import index
from typing import NamedTuple

import numpy as np

from ..datasets import SentencePair
from ..text import word_spans
from ..utils import InputError

__all__ = ["Baselines", "Links", "alignment_baselines", "alignment_error_rate", "alignment_table"]

Links = Collection[tuple[int, int]]


def alignment_error_rate(predicted: Sequence[Links], gold: Sequence[Links]) -> float:
    """Return the alignment error rate of the links found in some sentence pairs, 0 to 1; 0 is best.

        AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

    Och and Ney 2003, section 5, counted over all pairs together: A the links found, S the sure and
    P the possible gold links. Our data have one kind of gold link, S = P, and AER is then 1 - F1.
    A link is a pair (i, j) of a source word and a target word. Without any links AER is 0.

    Raises `InputError` when a link is not two integers, or when the lists differ in length.

    >>> gold = [[(0, 0), (1, 1), (2, 1)]]
    >>> round(alignment_error_rate([[(0, 0), (1, 1)]], gold), 3)
    0.2
    >>> alignment_error_rate([[(1, 0)]], gold)
    1.0
    """
    if len(predicted) != len(gold):
        raise InputError(
            f"there are links of {len(predicted)} sentence pairs and gold links of {len(gold)}: "
            "expected the same number"
        )
    n_correct = 0
    n_links = 0
    for found, true in zip(map(_links, predicted), map(_links, gold), strict=True):
        n_correct += len(found & true)
        n_links += len(found) + len(true)
    return 1 - 2 * n_correct / n_links if n_links else 0.0


def _links(pair: Links) -> set[tuple[int, int]]:
    """Return the links of a sentence pair as tuples of integers."""
    try:
        return {(index(i), index(j)) for i, j in pair}
    except (TypeError, ValueError):
        raise InputError(
            f"{pair!r:.60} are not the links of a sentence pair: "
            "expected pairs (i, j) of integers, such as [(0, 0), (1, 2)]"
        ) from None


class Baselines(NamedTuple):
    """Alignment error rates to compare with; each links a target word at most once.

    diagonal: links each target word to the source word at its relative position.
    random: the expectation for random source words.
    ideal: links each target word that has gold links to one of them.
    """

    diagonal: float
    random: float
    ideal: float


def alignment_baselines(pairs: Sequence[SentencePair]) -> Baselines:
    """Return the error rates that need no model; pairs without gold links are ignored.

    Raises `InputError` when no pair has gold links.

    >>> pair = SentencePair("we get up", "nous levons", ((0, 0), (2, 1)))
    >>> [round(rate, 3) for rate in alignment_baselines([pair])]
    [0.0, 0.667, 0.0]
    """
    gold = []
    diagonal = []
    ideal = []
    n_expected = 0.0  # correct links of random source words
    n_links = 0  # the random ones, one for each target word, and the gold ones
    for pair in pairs:
        if not pair.alignment:
            continue
        links = set(pair.alignment)
        n_source = len(word_spans(pair.source))
        n_target = len(word_spans(pair.target))

        gold.append(links)
        # the middle of target word j, (j + 1/2) / n_target, as a source word
        on_diagonal = set()
        for j in range(n_target):
            i = (2 * j + 1) * n_source // (2 * n_target)
            on_diagonal.add((i, j))
        diagonal.append(on_diagonal)
        # one link per target word: which of its gold links it is does not matter
        ideal.append({j: (i, j) for i, j in links}.values())
        # each gold link is found with probability 1 / n_source
        n_expected += len(links) / n_source
        n_links += n_target + len(links)

    if not gold:
        raise InputError(
            f"none of {len(pairs)} sentence pairs has gold links: give pairs that have an alignment"
        )
    return Baselines(
        diagonal=alignment_error_rate(diagonal, gold),
        random=1 - 2 * n_expected / n_links,
        ideal=alignment_error_rate(ideal, gold),
    )


def alignment_table(rates: np.ndarray, pairs: Sequence[SentencePair]) -> str:
    """Return the error rates (layers, H + 1) of each head and their mean as text.

    `attention_error_rates` returns such rates; the baselines of `pairs` follow them.
    """
    columns = [f"head {n}" for n in range(rates.shape[1] - 1)]
    columns.append("mean")
    lines = [
        "alignment     error rate in % of cross-attention, by head and for the mean of the heads; "
        "* the best",
        " " * 12 + "".join(f"{name:>8}" for name in columns),
    ]
    best = rates.min()
    for layer, row in enumerate(rates):
        cells = []
        for rate in row:
            mark = "*" if rate == best else " "
            cells.append(f"{100 * rate:7.1f}{mark}")
        lines.append(f"layer {layer:<7}{''.join(cells)}".rstrip(" "))

    baselines = alignment_baselines(pairs)
    lines.append(
        f"to compare    words in order {100 * baselines.diagonal:.1f}, "
        f"at random {100 * baselines.random:.1f}, "
        f"one true link per word {100 * baselines.ideal:.1f}"
    )
    return "\n".join(lines)
