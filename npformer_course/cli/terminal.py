"""Lines on a terminal: wrapped to its width, in color where it has any."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable

from npformer.cli.standard_streams import one_line

from ..format_report import Line

COLORS = {
    "right": "32",
    "wrong": "31",
    "error": "31",
    "timeout": "31",
    "title": "1",
    "question": "36",
}
NARROWEST = 24  # columns of text
WIDEST = 100
NO_BREAK = "\u00a0"  # a space at which no line ends


def show(lines: Iterable[Line]) -> None:
    """Print lines; in color to a terminal that has colors, unless NO_COLOR is set."""
    columns = shutil.get_terminal_size().columns
    width = min(max(columns - 1, NARROWEST), WIDEST)
    has_colors = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    if os.environ.get("NO_COLOR"):
        has_colors = False

    for line in lines:
        margin = "  " * line.indent
        text = textwrap.fill(
            one_line(line.text), width, initial_indent=margin, subsequent_indent=margin
        )
        text = text.replace(NO_BREAK, " ")
        if has_colors and line.style in COLORS:
            text = f"\033[{COLORS[line.style]}m{text}\033[0m"
        print(text, flush=True)


def say(text: str, style: str = "plain") -> None:
    """Print one line."""
    show([Line(style, 0, text)])
