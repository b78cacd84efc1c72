"""What notebook 24 needs: a trained model of English letters, its logits, texts and figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

import npformer as npf
from npformer.decoding import CachedDecoder
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .language_model import N_SPECIAL, WINDOW, english, shown
from .train_english_letters import FOLDER

LINE_END = "\n"
Choice = Callable[[np.ndarray], np.ndarray]  # from logits (B, V) to ids (B,)

writer = npf.runs.load(FOLDER)
characters = writer.text.tokens[N_SPECIAL:]  # V of them
_learned_text, _ = english()
learned_sentences = set(_learned_text.split(LINE_END))


def logits_of(text: str) -> np.ndarray:
    """Return the logits after each character of a text (T, V)."""
    ids = np.array([writer.text.encode(text)])
    return writer.model.forward(ids)[0, :, N_SPECIAL:].astype(float)


def next_logits(text: str) -> np.ndarray:
    """Return the logits of the character that follows a text, (1, V)."""
    read = (LINE_END + text)[-WINDOW:]  # it knows a sentence by the line end before it
    return logits_of(read)[-1:]


def write_many(choose: Choice, n_texts: int = 200, length: int = WINDOW) -> list[str]:
    """Return texts that are written side by side, each from the beginning of a sentence.

    Arguments:
        choose: returns the ids of the next characters (B,) from logits (B, V)
        n_texts: how many texts, B
        length: of each, in characters
    """
    decoder = CachedDecoder(writer.model)
    drawn = np.full((n_texts, 1), writer.text.ids[LINE_END])
    columns = []
    for _ in range(length):
        logits = decoder.step(drawn)[:, 0, N_SPECIAL:].astype(float)  # (B, V)
        drawn = np.asarray(choose(logits))[:, None] + N_SPECIAL  # (B, 1)
        columns.append(drawn)
    rows = np.concatenate(columns, 1)
    return [writer.text.decode(ids) for ids in rows]


def sentences_of(texts: Sequence[str]) -> list[str]:
    """Return the sentences of some texts, without the last of each, which may be cut off."""
    found = []
    for text in texts:
        found += [line for line in text.split(LINE_END)[:-1] if line]
    return found


def words_of(text: str) -> list[str]:
    """Return the words of a text.

    >>> words_of("She is ninety-two.")
    ['She', 'is', 'ninety-two']
    """
    return re.findall(r"[\w-]+", text)


_learned_words = set(words_of(_learned_text))


def share_of_good(texts: Sequence[str]) -> float:
    """Return the share of the sentences of texts that are good.

    They are new, not written before, and have no words but those of the text that was learned.
    """
    sentences = sentences_of(texts)
    known = set(learned_sentences)
    n_good = 0
    for sentence in sentences:
        if sentence not in known and _learned_words.issuperset(words_of(sentence)):
            n_good += 1
        known.add(sentence)
    return n_good / len(sentences)


def show_cuts(
    probabilities: Mapping[str, np.ndarray], kept: Mapping[str, Mapping[str, np.ndarray]]
):
    """Draw the most probable characters after some beginnings, and which of them each cut keeps.

    Arguments:
        probabilities: of all characters (V,), by the beginning
        kept: whether each is kept (V,), by the name of the cut and the beginning
    """
    figure, axes = new_figure(len(probabilities), len(kept), width=10, height=4.8)
    for row, (beginning, p) in zip(axes, probabilities.items(), strict=True):
        best = np.argsort(-p)[:20]
        names = shown([characters[i] for i in best])
        for ax, (cut, by_beginning) in zip(row, kept.items(), strict=True):
            is_kept = by_beginning[beginning]
            colors = [main_color() if is_kept[i] else GREY for i in best]
            ax.bar(names, p[best], color=colors)
            title = f'{cut} after "{beginning}" keeps {is_kept.sum()} (blue)'
            ax.set_title(title, fontsize="medium")
            ax.set(yscale="log", ylim=(1e-5, 1.5))
            ax.tick_params(axis="x", length=0)
    return figure


def show_shares(temperatures: Sequence[float], shares: Mapping[str, Sequence[float]]):
    """Draw a share against the temperature, a line for each cut."""
    figure, ax = new_figure(width=7, height=3.2)
    looks = (("o-", main_color()), ("s--", ORANGE))
    for (name, line), (style, color) in zip(shares.items(), looks, strict=True):
        ax.plot(temperatures, 100 * np.array(line), style, color=color, linewidth=2, label=name)
    ax.set(xlabel="temperature", ylabel="% of the sentences", ylim=(0, 103))
    ax.grid(alpha=0.3)
    ax.legend()
    return figure
