"""Tokens as a person can read them, whatever characters they hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

VISIBLE = {" ": "\u2423", "\n": "\u21b5", "\t": "\u21e5"}


def readable(token: str) -> str:
    r"""Return a token with signs for spaces and line ends, and with code points where nothing could be seen.

    >>> readable("a b"), readable("\u200d"), readable("\x00"), readable("")
    ('a\u2423b', 'U+200D', 'U+0000', '(empty)')
    """
    if not token:
        return "(empty)"
    invisible = {"Cc", "Cs", "Zl", "Zp", "Zs"}
    if all(unicodedata.category(character) == "Cf" for character in token):
        invisible.add("Cf")  # a joiner belongs in an emoji, alone it would leave an empty place
    return "".join(
        VISIBLE.get(character, f"U+{ord(character):04X}") if unicodedata.category(character) in invisible else character
        for character in token
    )


def direction(tokens: Sequence[str]) -> str:
    """Return "rtl" where most letters are of a script that runs from right to left, else "ltr".

    >>> direction(["<bos>", "\u05e9\u05dc\u05d5\u05dd", "."])
    'rtl'
    """
    words = [token for token in tokens if not (token.startswith("<") and token.endswith(">"))]
    letters = [unicodedata.bidirectional(character) for character in "".join(words)]
    return "rtl" if sum(letter in ("R", "AL") for letter in letters) > letters.count("L") else "ltr"
