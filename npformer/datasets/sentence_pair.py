"""A sentence, its translation, and which word became which."""

from typing import NamedTuple


class SentencePair(NamedTuple):
    r"""A sentence, its translation and, where it is known, the word alignment.

    The alignment holds pairs (i, j): token i of the source stands for token j of the target. Tokens are words and
    punctuation marks, counted from 0, as `re.findall(r"\w+|[^\w\s]", text)` splits them.

    >>> pair = SentencePair("He gets up.", "Er steht auf.", ((0, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3)))
    >>> pair.pharaoh
    '0-0 1-1 1-2 2-1 2-2 3-3'
    """

    source: str
    target: str
    alignment: tuple[tuple[int, int], ...] = ()

    @property
    def pharaoh(self) -> str:
        """The alignment as the alignment tools write it, such as "0-0 1-2"."""
        return " ".join(f"{i}-{j}" for i, j in self.alignment)
