"""Pictures, each drawn into a matplotlib Axes that is passed in and returned, and a viewer of attention in HTML."""

from .attention import plot_attention
from .curves import plot_learning_rate, plot_loss
from .figures import new_figure, save_figure
from .viewer import AttentionViewer

__all__ = ["AttentionViewer", "new_figure", "plot_attention", "plot_learning_rate", "plot_loss", "save_figure"]
