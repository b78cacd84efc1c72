"""The alignment error rate: how far the links between the words of sentence pairs are from the gold links."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from ..datasets import SentencePair
from ..text import word_spans

Links = Collection[tuple[int, int]]


def alignment_error_rate(predicted: Sequence[Links], gold: Sequence[Links]) -> float:
    """Return the alignment error rate of the links found in some sentence pairs, 0 to 1; 0 is best.

        AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

    Och and Ney 2003, section 5, counted over all pairs together: A the links found, S the sure and P the possible gold
    links. Our data have one kind of gold link, S = P, and AER is then 1 - F1. A link is a pair (i, j) of a source word
    and a target word. Without any links AER is 0.

    >>> gold = [[(0, 0), (1, 1), (2, 1)]]
    >>> round(alignment_error_rate([[(0, 0), (1, 1)]], gold), 3), alignment_error_rate([[(1, 0)]], gold)
    (0.2, 1.0)
    """
    n_correct = sum(len({*links} & {*true}) for links, true in zip(predicted, gold, strict=True))
    n_links = sum(len({*links}) for links in (*predicted, *gold))
    return 1 - 2 * n_correct / n_links if n_links else 0.0


class Baselines(NamedTuple):
    """Alignment error rates to compare with; each links a target word at most once.

    `diagonal` links each target word to the source word at its relative position, `random` is the expectation for
    random source words, and `ideal` links each target word that has gold links to one of them.
    """

    diagonal: float
    random: float
    ideal: float


def alignment_baselines(pairs: Sequence[SentencePair]) -> Baselines:
    """Return the error rates that need no model; pairs without gold links are ignored.

    >>> [round(rate, 3) for rate in alignment_baselines([SentencePair("we get up", "nous levons", ((0, 0), (2, 1)))])]
    [0.0, 0.667, 0.0]
    """
    known = [pair for pair in pairs if pair.alignment]
    sizes = [(len(word_spans(pair.source)), len(word_spans(pair.target))) for pair in known]
    gold = [set(pair.alignment) for pair in known]
    diagonal = [
        {((2 * j + 1) * n // (2 * n_target), j) for j in range(n_target)} for n, n_target in sizes
    ]
    ideal = [{j: (i, j) for i, j in links}.values() for links in gold]
    expected = sum(len(links) / n_source for links, (n_source, _) in zip(gold, sizes, strict=True))
    random = 1 - 2 * expected / (sum(n_target for _, n_target in sizes) + sum(map(len, gold)))
    return Baselines(
        alignment_error_rate(diagonal, gold), random, alignment_error_rate(ideal, gold)
    )


def alignment_table(rates: np.ndarray, pairs: Sequence[SentencePair]) -> str:
    """Return the error rates (layers, H + 1) of `visualization.attention_error_rates` as text, with the baselines."""
    columns = [*(f"head {n}" for n in range(1, rates.shape[1])), "mean"]
    table = "alignment     error rate in % of cross-attention, by head and for the mean of the heads; * the best\n"
    table += " " * 12 + "".join(f"{name:>8}" for name in columns)
    for layer, row in enumerate(rates, start=1):
        cells = "".join(f"{100 * rate:7.1f}{'*' if rate == rates.min() else ' '}" for rate in row)
        table += f"\nlayer {layer:<7}{cells}".rstrip(" ")
    order, random, ideal = (f"{100 * rate:.1f}" for rate in alignment_baselines(pairs))
    return f"{table}\nto compare    words in order {order}, at random {random}, one true link per word {ideal}"
