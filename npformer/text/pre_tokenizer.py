"""Text as words with marks, in which a word is the same wherever it stands; and back, to the last space and capital.

A mark ends each word (Sennrich et al. 2016), so the end of "Schneemann" and "Mann" can be one subword. The mark tells
the word's capitals, in the spirit of inline casing (Bérard et al. 2019), so the word itself needs none. Between two
words stands one space; where not, the second begins with a mark.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# The character for a byte in a word is that of Latin-1 or, where that cannot be seen, the next one from 256 on
# (Radford et al. 2019).
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
INVISIBLE = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {
    chr(256 + i): byte for i, byte in enumerate(INVISIBLE)
}
CHARACTERS = {byte: character for character, byte in BYTES.items()}

# Bytes that no text has in UTF-8.
END, TITLE, UPPER, JOINER = (CHARACTERS[byte] for byte in (0xFF, 0xFE, 0xFD, 0xFC))
ENDS = END + TITLE + UPPER
MARKS = {END: "▁", TITLE: "⇧", UPPER: "⇪", JOINER: "‿"}  # as people read them

PIECE = re.compile(r"['\u2019]?\w+(?:-\w+)*|[^\w\s]|\s+")


class Word(NamedTuple):
    """A word of a text: its letters, which `marked` has as bytes between its marks, and its place in the text."""

    letters: str
    marked: str
    start: int


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text, punctuation marks and unusual white space among them.

    >>> [(word.letters, word.start) for word in words_of("Der T-Shirt, BMX!")]
    [('der', 0), ('t-shirt', 4), (',', 11), ('bmx', 13), ('!', 16)]
    """
    joiner = ""
    for match in PIECE.finditer(text):
        if match[0] == " " and 0 < match.start() and match.end() < len(text):
            joiner = ""
            continue
        letters, end = _folded(match[0])
        coded = "".join(CHARACTERS[byte] for byte in letters.encode())
        yield Word(letters, joiner + coded + end, match.start())
        joiner = JOINER


def text_of(marked: str) -> str:
    """Return the text of marked words; a model may have put the marks in an order that no text has.

    Bytes that are not UTF-8 become "�".

    >>> text_of("".join(word.marked for word in words_of("An  old man's hat.")))
    "An  old man's hat."
    """
    text = ""
    for word in re.findall(f"[^{ENDS}]+[{ENDS}]?", marked):
        letters = bytes(BYTES[c] for c in word if c not in MARKS).decode(errors="replace")
        text += " " if text and word[0] != JOINER else ""
        text += CAPITALS[word[-1]](letters) if word[-1] in CAPITALS else letters
    return text


def _folded(word: str) -> tuple[str, str]:
    """Return a word in lower case and the mark that brings its capitals back; a word that would not come back stays."""
    lower = word.lower()
    if lower != word and len(lower) == len(word):
        for end, capitals in CAPITALS.items():
            if capitals(lower) == word:
                return lower, end
    return word, END


def _capitalize(word: str) -> str:
    """Return a word with a capital at its start and after each hyphen."""
    return "-".join(part[:1].upper() + part[1:] for part in word.split("-"))


CAPITALS = {TITLE: _capitalize, UPPER: str.upper}


def display_token(token: str) -> str:
    r"""Return a token as people read it: marks as in MARKS, bytes that are no whole character as "\xc3"."""
    display = ""
    for part in re.split(f"([{''.join(MARKS)}])", token):
        text = MARKS.get(part) or bytes(BYTES[c] for c in part).decode(
            errors="backslashreplace"
        ).replace(" ", "␣")
        display += "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return display
