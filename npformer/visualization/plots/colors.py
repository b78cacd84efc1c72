"""Colors for light and dark pages, which color-blind readers can tell apart."""

from typing import Any

from ...utils import import_optional

# Okabe and Ito 2008
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
SKY = "#56b4e9"
PINK = "#cc79a7"
AMBER = "#e69f00"
YELLOW = "#f0e442"

GREY = "#8c8c8c"
LIGHT_MAP = ("#cfe1f2", "#6aaed6", "#2070b4", "#08306b")
DARK_MAP = ("#123a5c", "#2f7fb8", "#8cc5e8", "#fff7d6")


def ink() -> str:
    """Return the color of text under the style in use."""
    return import_optional("matplotlib", "npformer").rcParams["text.color"]


def lightness(color: Any) -> float:
    """Return the luma of a color, 0 black to 1 white (ITU-R BT.709).

    >>> lightness("black"), lightness("white"), lightness("#0072b2")
    (0.0, 1.0, 0.37)
    """
    red, green, blue = import_optional("matplotlib.colors", "npformer").to_rgb(color)
    return round(0.2126 * red + 0.7152 * green + 0.0722 * blue, 3)


def is_dark() -> bool:
    """Return whether the style in use has light text, as dark pages need."""
    return lightness(ink()) > 0.5


def main_color() -> str:
    """Return the color of the main line of a plot: a blue that fits the page."""
    return SKY if is_dark() else BLUE


def contrasting(color: Any) -> str:
    """Return black or white, whichever is easier to read on a color.

    >>> contrasting("#ffffcc"), contrasting("#08306b")
    ('black', 'white')
    """
    return "black" if lightness(color) > 0.46 else "white"


def page_color(ax: Any) -> str:
    """Return the color behind what is drawn into an Axes."""
    return import_optional("matplotlib.colors", "npformer").to_hex(ax.get_facecolor())


def weight_colors(ax: Any) -> Any:
    """Return a color map from the color of the page, for 0, to its opposite, for 1."""
    colors = DARK_MAP if is_dark() else LIGHT_MAP
    maps = import_optional("matplotlib.colors", "npformer").LinearSegmentedColormap
    return maps.from_list("weights", [page_color(ax), *colors])
