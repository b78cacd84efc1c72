"""What is printed stays one line, whatever characters stand in it."""

import sys

CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")


def one_line(text: str) -> str:
    r"""Return a text with a space for each character that ends a line or a cell, or steers a terminal.

    >>> one_line("a\nb\tc\u2028d")
    'a b c d'
    """
    return text.translate(CONTROLS)


def tell(message: str) -> None:
    """Say something on standard error."""
    print(f"npformer: {one_line(message)}", file=sys.stderr)
