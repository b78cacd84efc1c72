"""Tokens as a person can read them, whatever characters they hold."""

import unicodedata
from collections.abc import Sequence

from ..attention import UNKNOWN

BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # they turn round what follows
VISIBLE = {" ": "\u2423", "\n": "\u21b5", "\t": "\u21e5"}


def readable(token: str) -> str:
    r"""Return a token with signs for spaces and line ends, and code points for what is unseen or turns text round.

    >>> readable("a b"), readable("\u200d"), readable("a\x00b"), readable("\u202eabc <unk>"), readable("")
    ('a\u2423b', 'U+200D', 'a U+0000 b', 'U+202E abc <unk>', '(empty)')
    """
    if token.endswith(UNKNOWN):
        return readable(token.removesuffix(UNKNOWN)) + UNKNOWN
    if not token:
        return "(empty)"
    invisible = {"Cc", "Cs", "Zl", "Zp", "Zs"}
    if all(unicodedata.category(character) == "Cf" for character in token):
        invisible.add("Cf")  # a joiner belongs in an emoji, alone it would leave an empty place
    shown = "".join(
        VISIBLE.get(character, f" U+{ord(character):04X} ")
        if unicodedata.category(character) in invisible or ord(character) in BIDI
        else character
        for character in token
    )
    return " ".join(shown.split())


def direction(tokens: Sequence[str]) -> str:
    """Return "rtl" where most letters are of a script that runs from right to left, else "ltr".

    >>> direction(["<bos>", "\u05e9\u05dc\u05d5\u05dd", "."])
    'rtl'
    """
    words = [token.removesuffix(UNKNOWN) for token in tokens if not (token.startswith("<") and token.endswith(">"))]
    letters = [unicodedata.bidirectional(character) for character in "".join(words)]
    return "rtl" if sum(letter in ("R", "AL") for letter in letters) > letters.count("L") else "ltr"
