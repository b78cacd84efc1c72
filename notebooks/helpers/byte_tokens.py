"""Words as lists of bytes, and pictures of the tokens into which merges cut them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from npformer import datasets
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import BLUE, GREY

from .expected import Expected

N_BYTES = 256
# a word with the space before it, a sign, or white space that is left
PIECE = re.compile(r" ?\w+| ?[^\w\s]|\s")

Pair = tuple[int, int]

# what is counted and cut by hand
BY_HAND = Expected(n_en=4 + 2 + 5, scheuen=[262, 256, 261])
BY_HAND.say("each word counts once there, however often it occurs", n_en=3)
BY_HAND.say("that is the pair n e", n_en=12)
BY_HAND.say("two letters are left: are they no pair of the list?", scheuen=[262, 256, 101, 110])


def pieces(text: str) -> list[list[int]]:
    """Return the words of a text as lists of bytes; joined, they are the text again.

    A space belongs to the word that it precedes.

    >>> [bytes(word).decode() for word in pieces("schalte das Radio aus.")]
    ['schalte', ' das', ' Radio', ' aus', '.']
    """
    return [list(piece.encode()) for piece in PIECE.findall(text)]


def phrasebook_words() -> tuple[list[list[int]], list[int]]:
    """Return the different words of the training sentences, and how often each occurs.

    They are the words of both languages.
    """
    [pairs] = datasets.get("phrasebook").load("train")
    counts: Counter[str] = Counter()
    for pair in pairs:
        for text in pair[:2]:
            counts.update(PIECE.findall(str(text)))
    return [list(word.encode()) for word in counts], list(counts.values())


def token_texts(merges: Sequence[Pair]) -> list[str]:
    r"""Return the text of every id: of the bytes, and of one token per merge.

    Bytes that are no whole character are written as in Python, such as \xc3.

    >>> token_texts([(101, 117), (110, 256)])[256:]
    ['eu', 'neu']
    """
    contents = [bytes([byte]) for byte in range(N_BYTES)]
    for first, second in merges:
        contents.append(contents[first] + contents[second])
    return [content.decode("utf-8", "backslashreplace") for content in contents]


def draw_tokens(rows: Mapping[str, Iterable[str]], title: str = ""):
    """Return a figure with a row of boxes per list of tokens; each is as wide as its text.

    A box of one character is grey, and so is that of one byte. Spaces are shown as dots.
    """
    tokens_of = {name: [_shown(text) for text in row] for name, row in rows.items()}
    longest = max(sum(map(len, row)) for row in tokens_of.values())
    figure, ax = new_figure(width=max(4, 0.24 * longest + 1), height=0.4 * len(tokens_of) + 0.5)
    for y, tokens in enumerate(tokens_of.values()):
        x = 0
        for token in tokens:
            single = len(token) == 1 or token.startswith("\\x")
            box = {"left": x + 0.06, "height": 0.74, "alpha": 0.3 if single else 1}
            ax.barh(y, len(token) - 0.12, color=GREY if single else BLUE, **box)
            color = None if single else "white"
            ax.text(x + len(token) / 2, y, token, ha="center", va="center", color=color, size=9)
            x += len(token)
    ax.set(title=title, xticks=[], xlim=(0, longest + 0.2), ylim=(len(tokens_of) - 0.5, -0.5))
    ax.set_yticks(range(len(tokens_of)), tokens_of)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return figure


def _shown(text: str) -> str:
    return text.replace(" ", "·")
