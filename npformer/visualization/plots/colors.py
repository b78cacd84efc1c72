"""Colors for light and dark pages, which color-blind readers can tell apart."""

from ...utils import import_optional

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#8c8c8c"  # Okabe and Ito 2008, as are the next
GREEN, SKY, PINK, AMBER, YELLOW = "#009e73", "#56b4e9", "#cc79a7", "#e69f00", "#f0e442"


def ink() -> str:
    """Return the color of text under the style in use."""
    return import_optional("matplotlib", "npformer").rcParams["text.color"]


def lightness(color) -> float:
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


def contrasting(color) -> str:
    """Return black or white, whichever is easier to read on a color.

    >>> contrasting("#ffffcc"), contrasting("#08306b")
    ('black', 'white')
    """
    return "black" if lightness(color) > 0.46 else "white"


def page_color(ax) -> str:
    """Return the color behind what is drawn into an Axes."""
    return import_optional("matplotlib.colors", "npformer").to_hex(ax.get_facecolor())


def weight_colors(ax):
    """Return a color map from the color of the page, for 0, to its opposite, for 1."""
    light, dark = (
        ("#cfe1f2", "#6aaed6", "#2070b4", "#08306b"),
        ("#123a5c", "#2f7fb8", "#8cc5e8", "#fff7d6"),
    )
    maps = import_optional("matplotlib.colors", "npformer").LinearSegmentedColormap
    return maps.from_list("weights", [page_color(ax), *(dark if is_dark() else light)])
