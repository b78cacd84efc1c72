"""Lines on a terminal: wrapped to its width, in color where it has any."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable

from ...classroom.format_report import Line
from ..output import one_line

COLORS = {"right": "32", "wrong": "31", "error": "31", "timeout": "31", "title": "1", "question": "36"}
NARROWEST, WIDEST = 24, 100
UNKNOWN = 80  # columns of a terminal that does not say how wide it is


def _colored() -> bool:
    """Tell whether colors may be printed: to a terminal that has them, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in ("", "dumb")


def show(lines: Iterable[Line]) -> None:
    """Print lines."""
    columns = shutil.get_terminal_size().columns or UNKNOWN  # Python 3.10 says 0
    width = min(max(columns - 1, NARROWEST), WIDEST)
    for line in lines:
        margin = "  " * line.indent if width > 2 * NARROWEST else " " * line.indent
        text = "\n".join(
            textwrap.wrap(one_line(line.text), width, initial_indent=margin, subsequent_indent=margin) or [""]
        )
        color = COLORS.get(line.style)
        print(f"\033[{color}m{text}\033[0m" if color and _colored() else text, flush=True)


def say(text: str, style: str = "plain") -> None:
    """Print one line."""
    show([Line(style, 0, text)])


def times(n: int) -> str:
    """Return how often in words.

    >>> times(1), times(3)
    ('once', '3 times')
    """
    return "once" if n == 1 else f"{n} times"
