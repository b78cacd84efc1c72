"""Pictures, each drawn into a matplotlib Axes, or an array of them, that comes back; and a viewer of attention in HTML.

Colours follow the style in use, so that pictures fit light and dark pages: `matplotlib.style.use("dark_background")`.
"""

from .alignment import plot_alignment, plot_error_rates
from .attention import plot_attention
from .attention_grid import grid_shape, plot_attention_grid
from .attention_lines import plot_attention_lines
from .curves import plot_learning_rate, plot_loss
from .distributions import plot_distributions
from .figures import new_figure, picture_format, save_figure
from .heat_map import plot_heat_map
from .label_smoothing import plot_label_smoothing
from .masks import plot_mask, plot_masks
from .positions import plot_position_waves, plot_positions
from .schedules import plot_schedules
from .sizes import grid_size, lines_size, map_size

__all__ = [
    "grid_shape",
    "grid_size",
    "lines_size",
    "map_size",
    "new_figure",
    "picture_format",
    "plot_alignment",
    "plot_attention",
    "plot_attention_grid",
    "plot_attention_lines",
    "plot_distributions",
    "plot_error_rates",
    "plot_heat_map",
    "plot_label_smoothing",
    "plot_learning_rate",
    "plot_loss",
    "plot_mask",
    "plot_masks",
    "plot_position_waves",
    "plot_positions",
    "plot_schedules",
    "save_figure",
]
