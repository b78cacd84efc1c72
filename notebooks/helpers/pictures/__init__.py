"""The pictures that the course draws of the paper's ideas.

Most are drawn into a matplotlib Axes, which is returned; what begins with show_ returns a figure of
its own, for the last line of a cell. They use the colors and fonts of
`npformer.visualization.plots`.
"""

from .alignment import plot_alignment, plot_error_rates
from .array_grids import show_arrays
from .arrays import plot_arrays, side_by_side
from .attention_maps import show_attention
from .checks import show_checks
from .confusion import confusion_size, plot_confusion
from .distributions import plot_distributions
from .figure_2 import figure_2
from .graph import plot_graph
from .heads import plot_heads
from .lines import lines_size, plot_attention_lines
from .paths import plot_reach
from .positions import plot_position_waves, plot_positions, show_ideas_of_positions
from .sizes import show_sizes
from .steps import StepFrame

__all__ = [
    "StepFrame",
    "confusion_size",
    "figure_2",
    "lines_size",
    "plot_alignment",
    "plot_arrays",
    "plot_attention_lines",
    "plot_confusion",
    "plot_distributions",
    "plot_error_rates",
    "plot_graph",
    "plot_heads",
    "plot_position_waves",
    "plot_positions",
    "plot_reach",
    "show_arrays",
    "show_attention",
    "show_checks",
    "show_ideas_of_positions",
    "show_sizes",
    "side_by_side",
]
