"""The pictures that a training leaves in its run folder."""

from pathlib import Path

from ..decoding import Translator
from ..evaluation import ClassificationScores
from ..training import TrainingLog
from ..utils import AnyPath
from ..visualization import sentence_attention
from ..visualization.plots import (
    confusion_size,
    new_figure,
    plot_attention,
    plot_confusion,
    plot_learning_rate,
    plot_loss,
    save_figure,
)


def draw_curves(log: TrainingLog, path: Path, *, per: str = "token") -> None:
    """Draw the loss, per token or what else there is, above the learning rate."""
    figure, (above, below) = new_figure(2, 1, width=7.5, height=6)
    plot_loss(above, *log.column("loss"), *log.column("validation_loss"), per=per)
    plot_learning_rate(below, *log.column("learning_rate"))
    save_figure(figure, path)


def draw_attention(translator: Translator, sentence: str, path: Path) -> None:
    """Draw where the last decoder layer looks, on the mean over its heads, as it writes the tokens of a translation."""
    looked = sentence_attention(translator, sentence)
    figure, ax = new_figure(width=1.5 + 0.55 * len(looked.source), height=1.5 + 0.4 * len(looked.written))
    title = "cross-attention of the last decoder layer, mean over heads"
    plot_attention(ax, looked.cross[-1].mean(0), looked.written, looked.source, title=title)
    ax.set_ylabel("output token being written")
    save_figure(figure, path)


def draw_confusion(evaluation: ClassificationScores, path: AnyPath) -> None:
    """Draw which classes are taken for which."""
    counts, names = evaluation.confusion, evaluation.names
    figure, ax = new_figure(**confusion_size(counts, names))
    title = f"{len(evaluation.texts):,} texts, {100 * evaluation.accuracy:.1f} % found right"
    plot_confusion(ax, counts, names, title=title)
    save_figure(figure, path)
