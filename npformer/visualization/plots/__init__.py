"""Pictures, each drawn into a matplotlib Axes, or an array of them, that comes back.

Colours follow the style in use, so that pictures fit light and dark pages: `matplotlib.style.use("dark_background")`.
"""

from .attention import grid_shape, plot_attention, plot_attention_grid
from .attention_lines import plot_attention_lines
from .confusion import confusion_size, plot_confusion
from .curves import plot_learning_rate, plot_loss
from .figures import grid_size, lines_size, map_size, new_figure, picture_format, save_figure
from .heat_map import plot_heat_map
from .layer_costs import plot_layer_costs

__all__ = [
    "confusion_size",
    "grid_shape",
    "grid_size",
    "lines_size",
    "map_size",
    "new_figure",
    "picture_format",
    "save_figure",
]
__all__ += [
    "plot_attention",
    "plot_attention_grid",
    "plot_attention_lines",
    "plot_confusion",
    "plot_heat_map",
    "plot_layer_costs",
    "plot_learning_rate",
    "plot_loss",
]
