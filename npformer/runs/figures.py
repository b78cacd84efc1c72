"""The picture of the loss that a training leaves in its run folder."""

from ..utils import AnyPath
from ..visualization.plots import new_figure, plot_learning_rate, plot_loss, save_figure
from .training_log import TrainingLog


def draw_curves(log: TrainingLog, path: AnyPath, *, per: str = "token") -> None:
    """Draw the loss, per token or per text, above the learning rate."""
    figure, (above, below) = new_figure(2, 1, width=7.5, height=6)
    plot_loss(above, *log.column("loss"), *log.column("validation_loss"), per=per)
    plot_learning_rate(below, *log.column("learning_rate"))
    save_figure(figure, path)
