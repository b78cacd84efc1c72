"""Text as words with marks, in which a word is the same wherever it occurs; and back.

A mark ends each word (Sennrich et al. 2016), so the end of "Schneemann" and "Mann" can be one
subword. The mark shows the word's capitals, in the spirit of inline casing (Bérard et al. 2019), so
the word itself needs none. Between two words is one space; where there is none, the second word
begins with a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..utils import InputError


def _byte_characters() -> dict[int, str]:
    """Return the character that is written for each byte in a word (Radford et al. 2019).

    It is that of Latin-1 or, where that cannot be seen, the next one from 256 on.
    """
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    characters = {}
    next_character = 256
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(next_character)
            next_character += 1
    return characters


CHARACTER_OF_BYTE = _byte_characters()
BYTE_OF_CHARACTER = {character: byte for byte, character in CHARACTER_OF_BYTE.items()}
ALPHABET = tuple(sorted(BYTE_OF_CHARACTER))

# bytes that no text has in UTF-8
END = CHARACTER_OF_BYTE[0xFF]
TITLE = CHARACTER_OF_BYTE[0xFE]
UPPER = CHARACTER_OF_BYTE[0xFD]
JOINER = CHARACTER_OF_BYTE[0xFC]
ENDS = END + TITLE + UPPER
MARKS = {END: "▁", TITLE: "⇧", UPPER: "⇪", JOINER: "‿"}  # as people read them

# a word with its hyphens and a leading apostrophe (don, 't), one other sign, or white space
PIECE = re.compile(r"['\u2019]?\w+(?:-\w+)*|[^\w\s]|\s+")


class Word(NamedTuple):
    """A word of a text: its letters, these as coded bytes between its marks, and its place."""

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
        # the single space between two words is not a word: the second one has no joiner
        if match[0] == " " and 0 < match.start() and match.end() < len(text):
            joiner = ""
            continue
        letters, end = _lowercase(match[0])
        coded = [CHARACTER_OF_BYTE[byte] for byte in utf_8(letters)]
        yield Word(letters, joiner + "".join(coded) + end, match.start())
        joiner = JOINER


def utf_8(text: str) -> bytes:
    """Return the bytes of a text.

    Raises `InputError` for half a character, as in a text that was cut off.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{text!r:.60} has {text[error.start]!r}, half of a character, "
            "which UTF-8 cannot hold: remove it"
        ) from None


def text_of(marked: str) -> str:
    """Return the text of marked words; a model may have put the marks in an order that no text has.

    Bytes that are not UTF-8 become "�".

    >>> text_of("".join(word.marked for word in words_of("An  old man's hat.")))
    "An  old man's hat."
    """
    text = ""
    for word in re.findall(f"[^{ENDS}]+[{ENDS}]?", marked):
        if text and word[0] != JOINER:
            text += " "
        coded = [character for character in word if character not in MARKS]
        letters = bytes_of(coded).decode(errors="replace")
        if word[-1] in CAPITALS:
            letters = CAPITALS[word[-1]](letters)
        text += letters
    return text


def _lowercase(word: str) -> tuple[str, str]:
    """Return a word in lower case and the mark that brings its capitals back.

    A word that would not come back stays as it is.
    """
    lower = word.lower()
    # "İ" has two characters in lower case, which would move the places of all that follow
    if lower != word and len(lower) == len(word):
        for end, capitals in CAPITALS.items():
            if capitals(lower) == word:
                return lower, end
    return word, END


def _capitalize(word: str) -> str:
    """Return a word with a capital at its start and after each hyphen."""
    # not str.title, which also begins a word after an apostrophe or a digit
    return "-".join(part[:1].upper() + part[1:] for part in word.split("-"))


CAPITALS = {TITLE: _capitalize, UPPER: str.upper}


def display_token(token: str) -> str:
    """Return a token as people read it: its marks as in MARKS, and `display_bytes` of the rest."""
    display = ""
    for part in re.split(f"([{''.join(MARKS)}])", token):
        if part in MARKS:
            display += MARKS[part]
        else:
            display += display_bytes(bytes_of(part))
    return display


def display_bytes(content: bytes) -> str:
    r"""Return bytes as people read them: those that are no whole character such as "\xc3"."""
    text = content.decode(errors="backslashreplace").replace(" ", "␣")
    display = ""
    for character in text:
        # ascii() quotes the escape of a control character
        display += character if character.isprintable() else ascii(character)[1:-1]
    return display


def bytes_of(coded: str | list[str]) -> bytes:
    """Return the bytes that coded characters mean."""
    return bytes(BYTE_OF_CHARACTER[character] for character in coded)
