"""The pictures of the tasks that a training leaves in its run folder."""

from ..decoding import Translator
from ..evaluation import ClassificationScores
from ..utils import AnyPath
from ..visualization import sentence_attention
from ..visualization.plots import confusion_size, new_figure, plot_attention, plot_confusion, save_figure


def draw_attention(translator: Translator, sentence: str, path: AnyPath) -> None:
    """Draw the cross-attention of the last decoder layer, mean over its heads, while a sentence is translated."""
    looked = sentence_attention(translator, sentence)
    figure, ax = new_figure(width=1.5 + 0.55 * len(looked.source), height=1.5 + 0.4 * len(looked.written))
    title = "cross-attention of the last decoder layer, mean over heads"
    plot_attention(ax, looked.cross[-1].mean(0), looked.written, looked.source, title=title)
    ax.set_ylabel("output token being written")
    save_figure(figure, path)


def draw_confusion(scores: ClassificationScores, path: AnyPath) -> None:
    """Draw the confusion matrix."""
    figure, ax = new_figure(**confusion_size(scores.confusion, scores.names))
    title = f"{len(scores.texts):,} texts, {100 * scores.accuracy:.1f} % correct"
    plot_confusion(ax, scores.confusion, scores.names, title=title)
    save_figure(figure, path)
