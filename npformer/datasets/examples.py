"""The examples of the tasks: sentence pairs and labelled texts."""

from typing import NamedTuple


class SentencePair(NamedTuple):
    r"""A sentence, its translation and, where it is known, the word alignment.

    The alignment holds pairs (i, j): token i of the source is translated by token j of the target. Tokens are words and
    punctuation marks, counted from 0, as `re.findall(r"\w+|[^\w\s]", text)` splits them.

    >>> SentencePair("He gets up.", "Er steht auf.", ((0, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3))).pharaoh
    '0-0 1-1 1-2 2-1 2-2 3-3'
    """

    source: str
    target: str
    alignment: tuple[tuple[int, int], ...] = ()

    @property
    def pharaoh(self) -> str:
        """The alignment as alignment tools write it, such as "0-0 1-2"."""
        return " ".join(f"{i}-{j}" for i, j in self.alignment)


class LabelledText(NamedTuple):
    """The name of a class, and a text of that class; a .tsv file has them in this order, with a tab between."""

    label: str
    text: str
