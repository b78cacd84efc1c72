"""Tokens as text that a person can read."""

import unicodedata
from collections.abc import Sequence

from ..attention import UNKNOWN

SPACE, SIGNS = "\u2423", {"\n": "\u21b5", "\t": "\u21e5"}


def readable(token: str) -> str:
    r"""Return a token with signs for spaces and line ends, and code points for other characters that are not visible.

    >>> readable("a b"), readable("a\x00b"), readable("\u202eabc <unk>"), readable("")
    ('a\u2423b', 'a U+0000 b', 'U+202E abc <unk>', '(empty)')
    """
    if token.endswith(UNKNOWN):
        return readable(token.removesuffix(UNKNOWN)) + UNKNOWN
    characters = token.replace(" ", SPACE)
    shown = "".join(c if c.isprintable() else SIGNS.get(c, f" U+{ord(c):04X} ") for c in characters)
    return " ".join(shown.split()) or "(empty)"


def direction(tokens: Sequence[str]) -> str:
    """Return "rtl" where most letters are of a script that is written from right to left, else "ltr".

    >>> direction(["<bos>", "\u05e9\u05dc\u05d5\u05dd", "."])
    'rtl'
    """
    words = [token.removesuffix(UNKNOWN) for token in tokens if not (token.startswith("<") and token.endswith(">"))]
    letters = [unicodedata.bidirectional(character) for character in "".join(words)]
    return "rtl" if sum(letter in ("R", "AL") for letter in letters) > letters.count("L") else "ltr"
