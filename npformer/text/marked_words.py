"""Text as words with marks, in which a word is the same wherever it stands; and back, to the last space and capital.

A word's end is marked (Sennrich et al. 2016), so "Mann" and the end of "Schneemann" can be one subword. A mark after a
word tells its capitals (inline casing, Bérard et al. 2019), so "Mann" and "mann" are one word. Between words stands one
space; a mark tells where not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import InputError

# The character that stands for a byte in a word is its own in Latin-1 or, where that cannot be seen, the next one
# from 256 on (Radford et al. 2019).
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
INVISIBLE = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {chr(256 + i): byte for i, byte in enumerate(INVISIBLE)}
CHARACTERS = {byte: character for character, byte in BYTES.items()}

# Bytes that no text has in UTF-8.
END, JOINED, TITLE, UPPER = (CHARACTERS[byte] for byte in (0xFF, 0xFE, 0xFD, 0xFC))
MARKS = {END: "▁", JOINED: "‿", TITLE: "⇧", UPPER: "⇪"}  # as people read them

PIECE = re.compile(r"['\u2019]?\w+(?:-\w+)*|[^\w\s]|\s+")


class Word(NamedTuple):
    """A word as subwords are cut from it: `marked` is the bytes of its letters, without capitals, between two marks.

    `start` is its place in the text, `capitals` the mark that follows it, or nothing.
    """

    letters: str
    start: int
    marked: str
    capitals: str


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text, punctuation marks and unusual white space among them.

    Raises `InputError` for a text with half a surrogate pair, which no bytes can say.

    >>> [(word.letters, MARKS.get(word.capitals)) for word in words_of("Der T-Shirt, BMX!")]
    [('der', '⇧'), ('t-shirt', '⇧'), (',', None), ('bmx', '⇪'), ('!', None)]
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a text holds {text[error.start]!r}, half a character: expected valid Unicode") from None
    joined = ""
    for match in PIECE.finditer(text):
        if match[0] == " " and 0 < match.start() and match.end() < len(text):
            joined = ""
            continue
        letters, capitals = folded(match[0])
        coded = "".join(CHARACTERS[byte] for byte in letters.encode())
        yield Word(letters, match.start(), joined + coded + END, capitals)
        joined = JOINED


def marked_words(text: str) -> list[str]:
    """Return what no subword reaches across: the words of a text, and after each the mark of its capitals.

    >>> "".join(MARKS.get(c, c) for c in " ".join(marked_words("An old man's hat.")))
    "an▁ ⇧ old▁ man▁ ‿'s▁ hat▁ ‿.▁"
    """
    return [part for word in words_of(text) for part in (word.marked, word.capitals) if part]


def text_of(marked: str) -> str:
    """Return the text of words with marks; a model may have written them in an order that no text has.

    >>> text_of("".join(marked_words("An  old man's hat.")))
    "An  old man's hat."
    """
    parts = []
    for chunk in marked.split(END):
        word = chunk.lstrip(TITLE + UPPER)
        for mark in chunk[: len(chunk) - len(word)]:
            if parts:
                parts[-1] = CAPITALS[mark](parts[-1])
        if word:
            if parts and word[0] != JOINED:
                parts.append(" ")
            parts.append(bytes(BYTES[c] for c in word if c not in MARKS).decode(errors="replace"))
    return "".join(parts)


def folded(word: str) -> tuple[str, str]:
    """Return a word in lower case and the mark that brings its capitals back, or the word itself and no mark.

    >>> [folded(word)[0] for word in ("Hut", "BMX", "McKay", "ẞ", "ab")]
    ['hut', 'bmx', 'McKay', 'ẞ', 'ab']
    """
    lower = word.lower()
    if lower != word and len(lower) == len(word):
        for mark, capitals in CAPITALS.items():
            if capitals(lower) == word:
                return lower, mark
    return word, ""


def titled(word: str) -> str:
    """Return a word with a capital at its start and after each hyphen."""
    return "-".join(part[:1].upper() + part[1:] for part in word.split("-"))


CAPITALS = {TITLE: titled, UPPER: str.upper}


def shown(token: str) -> str:
    r"""Return a token as people read it: a word's end as "▁", bytes that are no whole character as "\xc3".

    >>> shown("hut" + END), shown(JOINED + "."), shown(TITLE), shown("Ã")
    ('hut▁', '‿.', '⇧', '\\xc3')
    """
    parts = re.split(f"([{''.join(MARKS)}])", token)
    return "".join(MARKS[part] if part in MARKS else _shown(part) for part in parts)


def _shown(letters: str) -> str:
    text = bytes(BYTES[character] for character in letters).decode("utf-8", errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.replace(" ", "␣"))
