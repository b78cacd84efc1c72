"""Heads of an attention switched off, in every combination, and what is translated without them."""

from __future__ import annotations

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from ..course_sentence import SOURCE, CourseSentence
from ..heads_off import heads_off
from .frame import LiveFigure, Switch

PICTURE_OFF = [2]  # the heads that are off in the picture


def live_head_off(sentence: CourseSentence, attention) -> LiveFigure:
    """Return a figure with a switch for each head of an attention of the translator.

    It shows how probable each right word is, after the right words before it, and the translation
    that the model writes by itself. Both are computed here for all combinations of heads.

    Arguments:
        sentence: the sentence of the course
        attention: an attention sub-layer of its model
    """
    n_heads = attention.n_heads
    cases = []
    for number in range(2**n_heads):
        off = [head for head in range(n_heads) if number >> head & 1]
        cases.append(head_off_numbers(sentence, attention, off))

    switches = [Switch(f"head_{head}", f"head {head}", True) for head in range(n_heads)]
    return LiveFigure(
        "head_off.js",
        "What is a head needed for?",
        "Bars of the probability of each right word, with an outline at its probability with all "
        "heads, and the word that is more probable where there is one.",
        switches,
        {"words": sentence.target_tokens, "cases": cases},
        _picture(sentence.target_tokens, cases),
    )


def head_off_numbers(sentence: CourseSentence, attention, off: list[int]) -> dict:
    """Return what the translator does without some heads of an attention.

    Returns:
        right: the probability of each right word
        best: the most probable word of each position
        best_p: its probability
        translation: what the model writes by itself
    """
    with heads_off(attention, off):
        with sentence.model.evaluating():
            logits = sentence.model.forward(sentence.batch.src, sentence.batch.tgt_in)[0]
        [translation] = sentence.translator.translate([SOURCE])

    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    p = exponentials / exponentials.sum(-1, keepdims=True)  # (T, V)
    right = p[np.arange(len(p)), sentence.batch.tgt_out[0]]
    tokens = sentence.translator.target.tokens
    return {
        "right": right.astype(float).round(4).tolist(),
        "best": [tokens[i] for i in p.argmax(-1)],
        "best_p": p.max(-1).astype(float).round(4).tolist(),
        "translation": translation,
    }


def _picture(words, cases):
    """Draw the right words with all heads, and without one."""
    figure, axes = new_figure(1, 2, width=8, height=3)
    places = np.arange(len(words))
    without = cases[sum(2**head for head in PICTURE_OFF)]
    titles = ("all heads", f"without head {PICTURE_OFF[0]}")
    for ax, case, title in zip(axes, (cases[0], without), titles, strict=True):
        ax.barh(places, cases[0]["right"], color="none", edgecolor=GREY)
        ax.barh(places, case["right"], color=main_color())
        for place, word in enumerate(words):
            if case["best"][place] != word:
                ax.text(1.02, place, case["best"][place], color=ORANGE, va="center")
        ax.set(title=title, xlim=(0, 1.2), xlabel="probability of the right word")
        ax.set_xticks([0, 0.5, 1])
        ax.set_yticks(places, words)
        ax.invert_yaxis()
    return figure
