"""Text that grows token by token: what each adds, as soon as nothing that follows can change it any more."""

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator

from .case_marking import BYTES, ENDS, JOINED, MARKS, word_text


def pieces_of_tokens(tokens: Iterable[str], join: Callable[[Iterable[str]], str], after: str = "") -> Iterator[str]:
    """Yield what each token adds to a text that `join` writes and that begins with `after`.

    Whether a space stands between two tokens hangs on these two alone.

    >>> from npformer.text import Vocabulary
    >>> list(pieces_of_tokens(("(", "or", "what", ")", "?"), Vocabulary.build(["a"]).join, "Who"))
    [' (', 'or', ' what', ')', '?']
    """
    last = [after[-1]] if after.strip() and not after[-1].isspace() else []
    for token in tokens:
        yield join([*last, token])[len("".join(last)) :] if token else ""
        last = [token] if token else last


def pieces_of_subwords(subwords: Iterable[str], after: str = "") -> Iterator[str]:
    """Yield what each subword, as `case_marking` has it, adds to a text that begins with `after`, and then the rest.

    A word's capitals are marked at its end, and a letter may be cut across two subwords: so a word is held back until
    it is whole. Of one that never is, the rest is what there is of it, without a letter of which bytes are missing.

    >>> from .case_marking import END, TITLE
    >>> list(pieces_of_subwords(("h", "ut" + TITLE, "und", END + "ma"), "Mein"))
    ['', ' Hut', '', ' und', ' ma']
    """
    begun, held = bool(after), []

    def with_space(word: str, text: str) -> str:
        nonlocal begun
        space, begun = " " if begun and word[0] != JOINED else "", True
        return space + text

    for subword in subwords:
        ended = []
        for character in subword:
            if held or character not in ENDS:
                held.append(character)
            if held and character in ENDS:
                word, held = "".join(held), []
                ended.append(with_space(word, word_text(word)))
        yield "".join(ended)
    if held:
        letters = bytes(BYTES[character] for character in held if character not in MARKS)
        yield with_space("".join(held), getincrementaldecoder("utf-8")("replace").decode(letters))
