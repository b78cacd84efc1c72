"""Pictures, each drawn into a matplotlib Axes that is passed in and returned."""

from .alignment import plot_alignment, plot_error_rates
from .attention import plot_attention
from .curves import plot_learning_rate, plot_loss
from .figures import new_figure, save_figure
from .heat_map import plot_heat_map

__all__ = [
    "new_figure",
    "plot_alignment",
    "plot_attention",
    "plot_error_rates",
    "plot_heat_map",
    "plot_learning_rate",
    "plot_loss",
    "save_figure",
]
