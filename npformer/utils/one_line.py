"""Text from elsewhere as one harmless line of output."""

CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")


def one_line(text: str) -> str:
    r"""Return a text with a space for each character that ends a line or a cell, or controls a terminal.

    >>> one_line("a\nb\tc\u2028d")
    'a b c d'
    """
    return text.translate(CONTROLS)
