"""The length penalty: which finished hypothesis wins, and from which alpha on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, main_color

from .frame import LiveFigure, Slider

ALPHAS = [step / 500 for step in range(501)]  # 0 to 1
LOWEST = -2.0  # score that is drawn


def live_alpha(probabilities: Mapping[str, float]) -> LiveFigure:
    """Return finished hypotheses on their tree, with a slider for alpha.

    Arguments:
        probabilities: those of the hypotheses, by their words; hypotheses that begin alike are
            next to each other, and none has more than four words
    """
    sentences = [sentence.split() for sentence in probabilities]
    log_p = np.log(list(probabilities.values()))
    lengths = [len(words) + 1 for words in sentences]  # 1: <eos>
    return LiveFigure(
        "alpha.js",
        "Which hypothesis wins?",
        "A tree of finished hypotheses, with the score of each as a dot on a line. The dot "
        "farthest to the right is the winner.",
        [Slider("alpha", "alpha", ALPHAS, 0)],
        {
            "sentences": sentences,
            "lengths": lengths,
            "log_p": log_p.tolist(),
            "lowest": LOWEST,
        },
        _picture(list(probabilities), log_p, np.array(lengths)),
    )


def alpha_scores(log_p, lengths, alpha):
    """Return log P of hypotheses divided by the penalty of their lengths (Wu et al. 2016, eq. 14).

    >>> alpha_scores(np.array([-1.0, -2.0]), np.array([1, 7]), 1.0).tolist()
    [-1.0, -1.0]
    """
    return log_p / ((5 + lengths) / 6) ** alpha


def _picture(sentences, log_p, lengths):
    """Draw the scores without a penalty, and with that of the paper."""
    figure, axes = new_figure(1, 2, width=8, height=2.2)
    for ax, alpha in zip(axes, (0.0, 0.6), strict=True):
        scores = alpha_scores(log_p, lengths, alpha)
        places = range(len(sentences))
        best = int(scores.argmax())
        ax.hlines(places, LOWEST, 0, color=GREY, linewidth=0.6)
        ax.plot(scores, places, "o", color=GREY)
        ax.plot(scores[best], best, "o", color=main_color(), markersize=10)
        ax.set(title=f"alpha = {alpha}", xlim=(LOWEST, 0), ylim=(len(sentences) - 0.5, -0.5))
        ax.set_xlabel("score")
    axes[0].set_yticks(range(len(sentences)), sentences)
    axes[1].set_yticks([])
    return figure
