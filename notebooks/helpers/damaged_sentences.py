"""German sentences that are damaged in known ways, for notebook 21."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np

from npformer.evaluation import bleu_and_chrf
from npformer.text import word_spans
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color

from .expected import Expected

Words = list[str]

IN_WORDS = {
    "order": "two words exchanged",
    "noun": "another noun",
    "nicht": "nicht missing",
    "umlaut": "an umlaut as two letters",
    "case": "a wrong grammatical case",
    "last": "the last word missing",
    "twice": "a word twice",
}
EXAMPLE = "Ich mache die Tür nicht zu."
ARTICLES = {
    "der": "den",
    "den": "der",
    "dem": "den",
    "die": "der",
    "das": "den",
    "ein": "einen",
    "einen": "ein",
}
# 4-grams that hold another noun, a gap, two words exchanged, a word twice
BROKEN = Expected(broken=[4, 3, 5, 3])
BROKEN.say("two exchanged words are in more sequences than one word is", broken=[4, 3, 4, 3])
BROKEN.say(
    "where a word is missing, the sequences that reach across the gap are wrong",
    broken=[4, 0, 5, 3],
)
BROKEN.say(
    "where a word is missing, no sequence contains it: count those that reach across the gap",
    broken=[4, 4, 5, 3],
)
BROKEN.say(
    "a sequence that contains only one of the two copies is in the reference", broken=[4, 3, 5, 4]
)
BROKEN.say(
    "a sequence that contains only one of the two copies is in the reference", broken=[4, 3, 5, 5]
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def words_of(text: str) -> Words:
    """Return the words and punctuation marks of a text.

    >>> words_of("Ich mache die Tür zu.")
    ['Ich', 'mache', 'die', 'Tür', 'zu', '.']
    """
    return [text[start:end] for start, end in word_spans(text)]


class Damage:
    """Seven ways of damaging a sentence, each in one place, and sentences that all can damage.

    Arguments:
        texts: sentences, of which those are taken that have something for each way
        seed: which nouns and places are drawn
    """

    def __init__(self, texts: list[str], seed: int = 0):
        self.rng = np.random.default_rng(seed)
        sentences = [words_of(text) for text in texts]
        counts: Counter[str] = Counter()
        for words in sentences:
            counts.update(words[1:])
        self.nouns = [word for word in counts if word[:1].isupper() and word != "Sie"]
        self.kinds: dict[str, Callable[[Words], Words]] = {
            "order": self.exchanged,
            "noun": self.another_noun,
            "nicht": self.without_nicht,
            "umlaut": self.umlaut_spelled,
            "case": self.wrong_case,
            "last": self.without_last,
            "twice": self.second_word_twice,
        }

        self.originals: list[Words] = []
        for words in sentences:
            if "nicht" not in words:
                continue
            if all(kind(words) != words for kind in self.kinds.values()):
                self.originals.append(words)

        self.damaged: dict[str, list[Words]] = {}  # by the kind, the originals with one damage each
        for name, kind in self.kinds.items():
            self.damaged[name] = [kind(words) for words in self.originals]

    def exchanged(self, words: Words) -> Words:
        """Exchange two neighbors."""
        if len(words) < 4:
            return words
        place = int(self.rng.integers(1, len(words) - 2))
        return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]

    def another_noun(self, words: Words) -> Words:
        """Replace the first noun by one that is drawn."""
        for place, word in enumerate(words):
            if place and word in self.nouns:
                others = [noun for noun in self.nouns if noun != word]
                return [*words[:place], str(self.rng.choice(others)), *words[place + 1 :]]
        return words

    def without_nicht(self, words: Words) -> Words:
        """Leave the word nicht out."""
        return [word for word in words if word != "nicht"]

    def umlaut_spelled(self, words: Words) -> Words:
        """Write the umlaut of a word as two letters."""
        for place, word in enumerate(words):
            if place and set("äöü").intersection(word):
                return [*words[:place], word.translate(UMLAUTS), *words[place + 1 :]]
        return words

    def wrong_case(self, words: Words) -> Words:
        """Give the first article another case."""
        for place, word in enumerate(words):
            if place and word in ARTICLES:
                return [*words[:place], ARTICLES[word], *words[place + 1 :]]
        return words

    def without_last(self, words: Words) -> Words:
        """Leave the last word out, and keep the mark at the end."""
        return [*words[:-2], words[-1]]

    def second_word_twice(self, words: Words) -> Words:
        """Write the second word twice."""
        return [*words[:2], *words[1:]]


def draw_scores(scores: dict[str, float]) -> plt.Figure:
    """Draw the BLEU of some sentences, each with its words."""
    figure, ax = new_figure(width=8, height=0.8 + 0.34 * len(scores))
    for place, score in enumerate(scores.values()):
        ax.barh(place, score, 0.6, color=main_color())
        ax.annotate(f" {score:.1f}", (score, place), va="center", fontsize=9)
    ax.set_yticks(range(len(scores)), scores, fontsize=9)
    ax.set(xlabel="BLEU", xlim=(0, 108), ylim=(len(scores) - 0.5, -0.5))
    ax.tick_params(axis="y", length=0)
    return figure


def chrf_of(translations: list[Words], references: list[Words]) -> float:
    """Return chrF of lists of words, from 0 to 100."""
    texts = [" ".join(words) for words in translations]
    right = [" ".join(words) for words in references]
    return bleu_and_chrf(texts, right, tokenize="none").chrf


def draw_damage(damage: Damage, **scores: dict[str, float]) -> plt.Figure:
    """Draw one or two scores of every kind of damage, with an example of each.

    Arguments:
        damage: the sentences and the kinds
        scores: by the name of the score, its values by the kind
    """
    example = damage.originals.index(words_of(EXAMPLE))
    figure, ax = new_figure(width=8, height=4.4 if len(scores) > 1 else 3.6)
    thick = 0.76 / len(scores)
    for n, (name, of_kind) in enumerate(scores.items()):
        color = (main_color(), ORANGE)[n]
        shift = thick * (n - (len(scores) - 1) / 2)
        for place, kind in enumerate(IN_WORDS):
            score = of_kind[kind]
            ax.barh(place + shift, score, 0.94 * thick, color=color)
            ax.annotate(f" {score:.0f}", (score, place + shift), va="center", fontsize=8)
        ax.annotate(name, (2 + 12 * n, -0.6), color=color, va="center", weight="bold")

    labels = []
    for kind, in_words in IN_WORDS.items():
        labels.append(f"{in_words}\n{' '.join(damage.damaged[kind][example])}")
    ax.set_yticks(range(len(labels)), labels, fontsize=9)
    ax.set(xlabel="score", xlim=(0, 108), ylim=(len(labels) - 0.5, -0.9))
    ax.tick_params(axis="y", length=0, colors=ink())
    return figure
