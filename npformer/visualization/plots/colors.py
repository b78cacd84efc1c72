"""Colors for light and dark pages, which color-blind readers can tell apart."""

import re
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
# The roles in attention: queries, keys and values have one color each, in every picture and page.
ROLES = {"query": BLUE, "key": ORANGE, "value": GREEN}
# of which this much is left where it is mixed with the color of the text, so that a name in it
# can be read on any page
ROLE_PERCENT = 70
# such as q, dq, w_q, W_Q and query; d_k is a size
NAME_WITH_ROLE = re.compile(r"d?(?:w_?)?(q|query|queries|k|keys?|v|values?)", re.IGNORECASE)

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


def role_of(name: str) -> str:
    """Return "query", "key" or "value" where an array's name says so, and "" elsewhere.

    >>> role_of("Q"), role_of("dkey"), role_of("w_value"), role_of("d_k"), role_of("scores")
    ('query', 'key', 'value', '', '')
    """
    match = NAME_WITH_ROLE.fullmatch(name)
    if match is None:
        return ""
    first_letter = match[1][0].lower()
    return {"q": "query", "k": "key", "v": "value"}[first_letter]


def role_color(role: str, text_color: str) -> str:
    """Return the color of a role next to text of a color, which is in hexadecimal.

    >>> role_color("query", "#000000"), role_color("query", "#ffffff")
    ('#00507d', '#4c9cc9')
    """
    color = "#"
    for place in (1, 3, 5):
        own = int(ROLES[role][place : place + 2], 16)
        of_text = int(text_color[place : place + 2], 16)
        mixed = (ROLE_PERCENT * own + (100 - ROLE_PERCENT) * of_text) / 100
        color += f"{round(mixed):02x}"
    return color


def role_style(selector: str) -> str:
    """Return CSS that gives some elements the variables --query, --key and --value.

    They are mixed from --ink, the color of the text there.
    """
    lines = []
    for role, color in ROLES.items():
        lines.append(f"--{role}: color-mix(in srgb, {color} {ROLE_PERCENT}%, var(--ink));")
    return f"{selector} {{ {' '.join(lines)} }}\n"
