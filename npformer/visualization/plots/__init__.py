"""Plots, each drawn into a matplotlib Axes, or an array of Axes, which is returned.

Colors follow the matplotlib style, so plots fit light and dark pages:
`matplotlib.style.use("dark_background")`.
"""

from .attention import grid_shape, plot_attention, plot_attention_grid
from .curves import plot_learning_rate, plot_loss
from .figures import grid_size, map_size, new_figure, picture_format, save_figure
from .heat_map import plot_heat_map

__all__ = [
    "grid_shape",
    "grid_size",
    "map_size",
    "new_figure",
    "picture_format",
    "plot_attention",
    "plot_attention_grid",
    "plot_heat_map",
    "plot_learning_rate",
    "plot_loss",
    "save_figure",
]
