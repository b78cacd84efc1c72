"""What the shipped translator does with a sentence, for the notebooks of part I."""

from __future__ import annotations

import numpy as np

from helpers.course_sentence import SOURCE
from npformer.decoding import greedy_decode
from npformer.layers import Softmax
from npformer.tasks import Translator
from npformer.text import EOS
from npformer.utils.errors import InputError
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import AMBER, ORANGE, main_color
from npformer_course.student.short_message import one_line_errors


def probabilities_of(translator: Translator, sentence: str):
    """Return the words that a translator writes, their ids, and all probabilities.

    The words are a list of T, the ids are (1, T), and the probabilities (1, T, V): at each position
    one for every token that could come next.
    """
    model = translator.model
    source = np.array([translator.encode(sentence)])
    [written] = greedy_decode(model, source)
    read = np.array([[model.config.start_id, *written]])
    with model.evaluating():
        logits = model.forward(source, read)
    ids = np.array([[*written, EOS]])
    words = [translator.target.tokens[id] for id in ids[0]]
    return words, ids, Softmax()(logits.astype(float))


def table_rows(translator: Translator, ids) -> np.ndarray:
    """Return the row of the translator's table for each id, (..., D)."""
    table = translator.model.encoder.input_embedding.embedding.table.data
    return np.take(table, ids, axis=0)


def most_looked_at(weights) -> np.ndarray:
    """Return for each row of weights (T, S) the column with the largest, (T,)."""
    return np.array([np.flatnonzero(row == row.max())[0] for row in weights])


@one_line_errors()
def place_of(word: str, written: list[str]) -> int:
    """Return where a word is among those that a translator wrote.

    Raises `InputError` where it is not.

    >>> place_of("schalte", ["Ich", "schalte"])
    1
    """
    if word not in written:
        raise InputError(
            f"the bet is about {word!r}, and the translation is {' '.join(written)!r}: "
            f"set sentence = {SOURCE!r}, and run the cells from there on again"
        )
    return written.index(word)


def largest_of(weights, words: list[str]) -> list[str]:
    """Return the words with the largest weight: several, where weights are equal.

    >>> largest_of(np.array([0.4, 0.2, 0.4]), ["who", "am", "I"])
    ['who', 'I']
    """
    largest = []
    for word, weight in zip(words, weights, strict=True):
        if weight > max(weights) - 1e-6:
            largest.append(word)
    return largest


def show_probabilities(sentences: list[str], written: list[list[str]], probabilities: list):
    """Draw how probable each written word was, one panel per sentence, and return the figure.

    Arguments:
        sentences: what was read
        written: the T words of each translation
        probabilities: (T,) of each
    """
    figure, axes = new_figure(len(sentences), 1, width=8, height=2.4 * len(sentences))
    for ax, read, words, heights in zip(axes, sentences, written, probabilities, strict=True):
        bars = ax.bar(range(len(words)), heights, color=main_color())
        ax.bar_label(bars, fmt="%.2f", fontsize=8)
        ax.set_xticks(range(len(words)), words)
        ax.set(ylim=(0, 1.1), ylabel="probability", title=read)
    return figure


def show_distances(words: list[str], before, after, *, without: str):
    """Draw how far the vectors of two sentences are apart, before and after the encoder.

    `without` is the word that differs, and is left out.
    """
    kept = [i for i, word in enumerate(words) if word != without]
    places = range(len(kept))
    figure, ax = new_figure(width=6, height=2.8)
    ax.bar(places, after[kept], color=main_color(), label="after the encoder")
    ax.plot(places, before[kept], "o", color=ORANGE, clip_on=False, label="rows of the table")
    ax.set_xticks(places, [words[i] for i in kept])
    ax.set_ylabel("distance of the two vectors")
    ax.set_ylim(bottom=0)
    ax.legend()
    return figure


def show_own_and_model(tokens: list[str], mine, model):
    """Draw the learner's weights of one word next to those of a head, and return the figure."""
    places = np.arange(len(tokens))
    figure, ax = new_figure(width=6.5, height=3)
    ax.bar(places - 0.2, mine, 0.4, color=AMBER, label="yours")
    ax.bar(places + 0.2, model, 0.4, color=main_color(), label="the translator's")
    ax.set_xticks(places, tokens)
    ax.set_ylabel("weight")
    ax.legend()
    return figure
