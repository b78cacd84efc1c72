"""Tokens as text that a person can read."""

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
