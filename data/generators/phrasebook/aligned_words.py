"""Words that remember which words of the other language they belong to.

Every token carries labels. An English and a German token that share a label are translations
of each other, so a word alignment needs no search: it is read off the labels of the finished
sentence and cannot disagree with its text.
"""

import re
from typing import NamedTuple


class Token(NamedTuple):
    """A word or a punctuation mark, and its labels: "verb object.noun"."""

    text: str
    labels: str = ""


def tokens(text: str, labels: str) -> list[Token]:
    """Every word and hyphen of a text, all with the same labels.

    >>> [token.text for token in tokens("look for", "verb")]
    ['look', 'for']
    >>> [token.text for token in tokens("sixty-six", "number")]
    ['sixty', '-', 'six']
    """
    return [Token(word, labels) for word in re.findall(r"[^\s-]+|-", text)]


def nest(sentence: list[Token], name: str) -> list[Token]:
    """Move a clause into a larger sentence.

    Its labels get a name in front, so that they match no others.

    >>> nest([Token("sees", "verb")], "that")
    [Token(text='sees', labels='that.verb')]
    """
    return [
        Token(text, " ".join(f"{name}.{label}" for label in labels.split()))
        for text, labels in sentence
    ]


def spell(sentence: list[Token]) -> str:
    """Write the sentence down.

    It has a capital at its start, and no space before a punctuation mark or next to a hyphen.

    >>> spell(tokens("he sleeps , because he is tired .", ""))
    'He sleeps, because he is tired.'
    """
    text = "".join(token.text if token.text in ",.?" else " " + token.text for token in sentence)[
        1:
    ]
    return text[0].upper() + text[1:].replace(" - ", "-")


def align(english: list[Token], german: list[Token]) -> tuple[tuple[int, int], ...]:
    """All pairs (i, j) of an English token i and a German token j that share a label.

    >>> align([Token("does", "finite"), Token("sleep", "verb")], [Token("schläft", "verb finite")])
    ((0, 0), (1, 0))
    """
    places: dict[str, list[int]] = {}
    for j, token in enumerate(german):
        for label in token.labels.split():
            places.setdefault(label, []).append(j)
    links = {
        (i, j)
        for i, token in enumerate(english)
        for label in token.labels.split()
        for j in places.get(label, ())
    }
    return tuple(sorted(links))
