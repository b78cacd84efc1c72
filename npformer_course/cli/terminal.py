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
NARROWEST, WIDEST = 24, 100  # columns


def show(lines: Iterable[Line]) -> None:
    """Print lines; in color to a terminal that has colors, unless NO_COLOR is set."""
    width = min(max(shutil.get_terminal_size().columns - 1, NARROWEST), WIDEST)
    plain = (
        not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    )
    for line in lines:
        margin = "  " * line.indent
        text = textwrap.fill(
            one_line(line.text), width, initial_indent=margin, subsequent_indent=margin
        )
        color = None if plain else COLORS.get(line.style)
        print(f"\033[{color}m{text}\033[0m" if color else text, flush=True)


def say(text: str, style: str = "plain") -> None:
    """Print one line."""
    show([Line(style, 0, text)])
