"""A language of six sentences, whose probabilities are known, and the check of a beam's step."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from npformer.text.vocabulary import SPECIALS
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer_course.student.short_message import RIGHT, UNWRITTEN, WRONG, headline
from npformer_course.student.stand_ins import students_own

END = SPECIALS[3]  # <eos>
COLUMNS = 88  # of what a cell prints
BEAMS = (1, 2, 3, 4)  # widths with which a step is checked

# how many of 200 people say what
GUTEN_TAG = {
    "good day": 32,
    "good morning": 24,
    "good evening": 24,
    "hello there": 40,
    "hello friend": 26,
    "how do you do": 54,
}
DANKE = {
    "thank you very much": 56,
    "thank you so much": 31,
    "thanks": 63,
    "many thanks": 50,
}
# one ends among the first two, and one after them
ANSWERS = {"yes": 40, "yes please": 30, "no thanks": 20, "no": 10}

Words = tuple[str, ...]
Hypothesis = tuple[Words, float]  # words, and the probability to begin with them


class PhraseTree:
    """The translations of a phrase by many people, as a model that writes word by word.

    Arguments:
        phrase: what was translated
        counts: how many people gave each translation

    >>> tree = PhraseTree("danke", DANKE)
    >>> tree.next_words(())
    {'thank': 0.435, 'thanks': 0.315, 'many': 0.25}
    >>> tree.next_words(("many", "thanks"))
    {'<eos>': 1.0}
    """

    def __init__(self, phrase: str, counts: Mapping[str, int]):
        self.phrase = phrase
        self.counts = {(*sentence.split(), END): n for sentence, n in counts.items()}

    def next_words(self, words: Words) -> dict[str, float]:
        """Return the probability of each next word after some words, most probable first."""
        n = len(words)
        following: dict[str, int] = {}
        for sentence, count in self.counts.items():
            if sentence[:n] == tuple(words) and len(sentence) > n:
                following[sentence[n]] = following.get(sentence[n], 0) + count
        total = sum(following.values())
        ordered = sorted(following.items(), key=lambda item: -item[1])
        return {word: count / total for word, count in ordered}

    def probability(self, words: Words) -> float:
        """Return the probability that a translation begins with these words."""
        p = 1.0
        for i, word in enumerate(words):
            p *= self.next_words(words[:i])[word]
        return p


def continuations(tree: PhraseTree, open_ones: list[Hypothesis]) -> list[Hypothesis]:
    """Return each open hypothesis with each next word, most probable first."""
    longer = []
    for words, p in open_ones:
        for word, q in tree.next_words(words).items():
            longer.append(((*words, word), p * q))
    return sorted(longer, key=lambda one: -one[1])


def finished_and_open(
    longer: list[Hypothesis], beam: int
) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """Return which continuations are finished and which stay open, of all, best first."""
    finished = [one for one in longer[:beam] if one[0][-1] == END]
    still_open = [one for one in longer if one[0][-1] != END][:beam]
    return finished, still_open


def step_arrays() -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Return step 1 of the search for "guten Tag" with two open hypotheses.

    Returns:
        the probabilities of the open hypotheses (2, 1) and of what may follow each (2, V); the
        words of the rows, and those of the columns

    >>> P, next_P, open_ones, words = step_arrays()
    >>> open_ones, words
    (['good', 'hello'], ['day', 'morning', 'evening', 'there', 'friend'])
    """
    tree = PhraseTree("guten Tag", GUTEN_TAG)
    _, open_ones = finished_and_open(continuations(tree, [((), 1.0)]), 2)
    following = [tree.next_words(words) for words, _ in open_ones]
    columns = [word for row in following for word in row]
    next_p = np.array([[row.get(word, 0.0) for word in columns] for row in following])
    rows = [" ".join(words) for words, _ in open_ones]
    return np.array([[p] for _, p in open_ones]), next_p, rows, columns


def best_of_step(P: np.ndarray, next_P: np.ndarray, words: list[str], n: int = 4):
    """Return the n best continuations of a step: probabilities, parents (n,), and their words.

    >>> P, next_P, _, words = step_arrays()
    >>> best_of_step(P, next_P, words, 2)
    (array([0.2 , 0.16]), array([1, 0]), ['there', 'day'])
    """
    joint = P * next_P  # (K, V)
    order = np.argsort(-joint, axis=None, kind="stable")[:n]
    parents, tokens = np.divmod(order, len(words))
    return joint.ravel()[order], parents, [words[token] for token in tokens]


def check_step(function: Callable) -> Callable:
    """Compare a step of beam search with ours on three trees; return the one to continue with.

    Arguments:
        function: beam_step(tree, open_ones, beam), which returns what is finished and what stays
            open, each a list of pairs of words and a probability
    """
    function = students_own(function)
    name = function.__name__
    for phrase, counts in (("guten tag", GUTEN_TAG), ("danke", DANKE), ("ja?", ANSWERS)):
        tree = PhraseTree(phrase, counts)
        for beam in BEAMS:
            state, reason = _compare(function, tree, beam)
            if state != RIGHT:
                print(headline({name: state}))
                if reason:
                    where = f"{phrase!r} with K = {beam}, {reason}"
                    print(textwrap.indent(textwrap.fill(where, COLUMNS - 2), "  "))
                return _step
    print(headline({name: RIGHT}))
    return function


def _step(tree, open_ones, beam):
    return finished_and_open(continuations(tree, open_ones), beam)


def _compare(function: Callable, tree: PhraseTree, beam: int) -> tuple[str, str]:
    """Return the state of a function on one tree, and what is wrong at its first wrong step."""
    open_ones: list[Hypothesis] = [((), 1.0)]
    step = 0
    while open_ones:
        expected = _step(tree, open_ones, beam)
        try:
            got = function(tree, list(open_ones), beam)
            if got is None or ... in tuple(got):
                return UNWRITTEN, ""
            found = [[(tuple(words), float(p)) for words, p in part] for part in got]
        except Exception as error:  # whatever a learner's line raises
            return WRONG, f"step {step}: {type(error).__name__}: {error}"
        if len(found) != 2:
            return WRONG, f"step {step}: it returns {len(found)} results, expected 2"
        for part, yours, ours in zip(("finished", "open"), found, expected, strict=True):
            reason = _difference(yours, ours)
            if reason:
                return WRONG, f"step {step}, what is {part}: {reason}"
        open_ones = expected[1]
        step += 1
    return RIGHT, ""


def _difference(yours: list[Hypothesis], ours: list[Hypothesis]) -> str:
    """Return in words how two lists of hypotheses differ, or nothing."""
    if len(yours) != len(ours):
        return f"{len(yours)}, and there should be {len(ours)}"
    if any(earlier[1] < later[1] for earlier, later in pairwise(yours)):
        return "the most probable one is not the first"
    expected = dict(ours)
    for words, p in yours:
        said = " ".join(words)
        if words not in expected:
            return f"{said!r} is there, and others are more probable"
        if not math.isclose(p, expected[words]):
            return f"{said!r} has {p:.3g}, which is not the probability of all its words"
    return ""


def draw_tree(tree: PhraseTree, paths: Mapping[str, str]):
    """Return a figure of a tree: lines as wide as probable, and some sentences in a color.

    Arguments:
        tree: the tree
        paths: the colors of sentences, "greedy" or "best", by their words
    """
    colors = {"greedy": ORANGE, "best": main_color()}
    colored = {(*sentence.split(), END): colors[kind] for sentence, kind in paths.items()}
    figure, ax = new_figure(width=9, height=4.4)
    n_leaves = 0

    def draw(words):  # returns the height at which these words are
        nonlocal n_leaves
        n = len(words)
        following = tree.next_words(words)
        heights = []
        for word in following:
            if word == END:
                heights.append(float(n_leaves))
                n_leaves += 1
            else:
                heights.append(draw((*words, word)))
        own = float(np.mean(heights))

        for height, (word, q) in zip(heights, following.items(), strict=True):
            path = (*words, word)
            p = tree.probability(path)
            color = GREY
            for sentence, of_sentence in colored.items():
                if sentence[: n + 1] == path:
                    color = of_sentence
            ax.plot([n, n + 1], [own, height], color=color, linewidth=1 + 9 * p, zorder=1)
            plain = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            middle = {"ha": "center", "va": "center", "color": "black"}
            ax.text(
                n + 0.55, 0.45 * own + 0.55 * height, f"{q:.2f}", fontsize=8, bbox=plain, **middle
            )
            box = {"boxstyle": "round", "facecolor": "white", "edgecolor": color}
            ax.text(n + 1, height, f"P = {p:.2f}" if word == END else word, bbox=box, **middle)
        return own

    top = draw(())
    root = {"boxstyle": "round", "facecolor": "0.9"}
    ax.text(0, top, tree.phrase, ha="center", va="center", color="black", bbox=root)
    ax.set(xlim=(-0.4, 5.4), ylim=(n_leaves - 0.5, -0.6))
    ax.set_axis_off()
    return figure
