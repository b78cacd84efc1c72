"""What is printed stays one line, whatever characters stand in it."""

from __future__ import annotations

import re
import sys

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    r"""Return a text with a space for each character that ends a line or a cell, or steers a terminal.

    >>> one_line("a\nb\tc\u2028d")
    'a b c d'
    """
    return CONTROLS.sub(" ", text)


def tell(message: str) -> None:
    """Say something on standard error."""
    print(f"npformer: {one_line(message)}", file=sys.stderr)
