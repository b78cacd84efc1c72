"""Text that grows token by token."""

from collections.abc import Callable, Iterable, Iterator


def stream_text(
    ids: Iterable[int], vocabulary, after: str = "", *, ends: Callable[[int], bool] = lambda i: True
) -> Iterator[str]:
    """Yield what each of some ids adds to a text that begins with `after`, and then the rest.

    Where `ends(i)` is false, token i is held back until a later one ends its word, because that may change its text.

    >>> from npformer.text import Vocabulary
    >>> vocabulary = Vocabulary.build(["Who (or what)?"])
    >>> list(stream_text(vocabulary.encode("(or what)?"), vocabulary, "Who"))
    [' (', 'or', ' what', ')', '?']
    """
    read = vocabulary.encode(after)
    before = len(vocabulary.decode(read))
    shown = before
    for i in ids:
        read.append(i)
        piece = vocabulary.decode(read)[shown:] if ends(i) else ""
        shown += len(piece)
        yield piece.lstrip(" ") if shown - len(piece) == before and after[-1:].isspace() else piece
    if rest := vocabulary.decode(read)[shown:]:
        yield rest
