"""BPE-dropout of notebook 20b: the check of what cuts a word, and what it does to a text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import matplotlib.pyplot as plt

from npformer.text import BPEVocabulary
from npformer.text.pre_tokenizer import display_token
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer_course.student.short_message import RIGHT, UNWRITTEN, WRONG, headline
from npformer_course.student.stand_ins import students_own

from .byte_tokens import draw_tokens

Ranks = Mapping[tuple[str, str], int]
Cut = Callable[[str, Ranks, float, random.Random], list[str]]

# e u, n eu, neu e, e n
RANKS = {("e", "u"): 0, ("n", "eu"): 1, ("neu", "e"): 2, ("e", "n"): 3}
WORDS = ("neuen", "neue", "eneu", "enene", "x")
N_DRAWS = 2000
TOLERANCE = 0.06  # of a share of the draws


def ranks_of(vocabulary: BPEVocabulary) -> dict[tuple[str, str], int]:
    """Return when each pair is merged, from 0.

    >>> ranks_of(BPEVocabulary.build(["neu neu neuen"], size=262))
    {('e', 'u'): 0, ('n', 'eu'): 1}
    """
    return {pair: rank for rank, pair in enumerate(vocabulary.merges)}


def dropped_out(word: str, ranks: Ranks, p: float, rng: random.Random) -> list[str]:
    """Return the tokens of a word, with each possible merge left out with probability `p`.

    Provilkov et al. 2020. In every round each merge that could be made is drawn again. Of those
    that are not left out the earliest is made, once.

    >>> dropped_out("neuen", RANKS, 0, random.Random(0))
    ['neue', 'n']
    """
    tokens = list(word)
    while True:
        possible = []
        for i, pair in enumerate(pairwise(tokens)):
            if pair in ranks and rng.random() >= p:
                possible.append((ranks[pair], i))
        if not possible:
            return tokens
        _, i = min(possible)
        tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]


def check_dropout(function: Cut) -> Cut:
    """Compare a function that cuts a word with ours; return the one to continue with."""
    function = students_own(function)
    name = function.__name__
    state, reason = _compare(function)
    print(headline({name: state}))
    if reason:
        print(f"  {reason}")
    return function if state == RIGHT else dropped_out


def _compare(function: Cut) -> tuple[str, str]:
    """Return the state of a function, and what is wrong with it."""
    try:
        for p in (0.0, 1.0):
            for word in WORDS:
                got = function(word, RANKS, p, random.Random(0))
                if got is None or got is ...:
                    return UNWRITTEN, ""
                expected = dropped_out(word, RANKS, p, random.Random(0))
                if list(got) != expected:
                    return WRONG, f"with p = {p:g}, {word!r} is cut into {got}, and not {expected}"

        # other random numbers may be right, too: compare how often each cut is drawn
        for word in WORDS:
            shares = []
            for cut in (function, dropped_out):
                rng = random.Random(1)
                shares.append(Counter(tuple(cut(word, RANKS, 0.5, rng)) for _ in range(N_DRAWS)))
            for tokens in shares[0] | shares[1]:
                yours, ours = (drawn[tokens] / N_DRAWS for drawn in shares)
                if abs(yours - ours) > TOLERANCE:
                    cut_into = " ".join(tokens)
                    return WRONG, (
                        f"with p = 0.5, {word!r} is cut into {cut_into!r} in {yours:.0%} of the "
                        f"draws, and should be in {ours:.0%}"
                    )
    except Exception as error:  # whatever a learner's line raises
        return WRONG, f"{type(error).__name__}: {error}"
    return RIGHT, ""


def draw_cuts(cuts: Sequence[list[str]], n_shown: int = 6) -> plt.Figure:
    """Draw the most frequent of many cuts of a word, with how often each was drawn."""
    counts = Counter(tuple(map(display_token, tokens)) for tokens in cuts)
    rows = {}
    for number, (tokens, n) in enumerate(counts.most_common(n_shown)):
        # two cuts may be equally frequent: the names of rows differ in spaces at the end
        rows[f"{n} times" + " " * number] = tokens
    return draw_tokens(rows, f"{len(counts)} different cuts in {len(cuts)} draws")


def counts_with_dropout(
    cut: Cut, vocabulary: BPEVocabulary, lines: Sequence[str], p: float
) -> Counter[str]:
    """Return how often each token occurs in lines that are cut with dropout."""
    ranks = ranks_of(vocabulary)
    rng = random.Random(1)
    counts: Counter[str] = Counter()
    for line in lines:
        for word in BPEVocabulary.words(line):
            counts.update(cut(word, ranks, p, rng))
    return counts


def never_used(vocabulary: BPEVocabulary, counts: Counter[str]) -> int:
    """Return how many of the merged tokens do not occur."""
    merged = [first + second for first, second in vocabulary.merges]
    return sum(counts[token] == 0 for token in merged)


def draw_effects(
    counts_of: Mapping[float, Counter[str]], vocabulary: BPEVocabulary, n_lines: int
) -> plt.Figure:
    """Draw the tokens per sentence, and the tokens that are never used, by the dropout p."""
    figure, (left, right) = new_figure(1, 2, width=9, height=2.8)
    names = [f"{p:g}" for p in counts_of]
    lengths = [counts.total() / n_lines for counts in counts_of.values()]
    unused = [never_used(vocabulary, counts) for counts in counts_of.values()]
    for ax, values, color in ((left, lengths, main_color()), (right, unused, ORANGE)):
        ax.bar(names, values, color=color)
        for name, value in zip(names, values, strict=True):
            ax.annotate(f"{value:.0f}", (name, value), ha="center", va="bottom", fontsize=9)
        ax.set(xlabel="p", ylim=(0, 1.15 * max(values)))
    left.set_ylabel("tokens per sentence")
    right.set_ylabel(f"never used, of {len(vocabulary.merges)}")
    left.axhline(lengths[0], color=GREY, linestyle="--", linewidth=1)
    return figure
