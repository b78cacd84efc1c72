"""The vocabulary of a model whose tokenizer is another program's: texts are ids."""

from __future__ import annotations

import re

from ..utils import InputError
from .vocabulary import BaseVocabulary


class IdVocabulary(BaseVocabulary):
    """Texts that are ids with spaces between them, such as "12 345 6".

    Arguments:
        size: the number of tokens

    Raises `InputError` for a size below 1, and for a text of anything but their ids.

    >>> vocabulary = IdVocabulary(400)
    >>> vocabulary.encode("12 345 6"), vocabulary.decode([12, 345, 6])
    ([12, 345, 6], '12 345 6')
    >>> vocabulary.encode("the cat")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: 'the' is the id of no token: expected ids from 0 to 399 \
with spaces between them, because the tokens of this model are another program's
    """

    tokenizer = "ids"
    special_ids = ()
    unk_id = None
    eos_id = None

    def __init__(self, size: int):
        if not isinstance(size, int) or size < 1:
            raise InputError(f"size = {size!r}: expected an integer >= 1")
        self.tokens = [str(i) for i in range(size)]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def split(self, text: str) -> list[str]:
        """Split text at its spaces."""
        return text.split()

    def encode(self, text: str) -> list[int]:
        """Return the ids in a text."""
        ids = []
        for token in self.split(text):
            if token not in self.ids:
                raise InputError(
                    f"{token[:20]!r} is the id of no token: expected ids from 0 to "
                    f"{len(self) - 1} with spaces between them, because the tokens of this "
                    "model are another program's"
                )
            ids.append(self.ids[token])
        return ids

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the ids are in a text."""
        return [match.span() for match in re.finditer(r"\S+", text)]

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs."""
        return {"tokenizer": self.tokenizer, "size": len(self)}

    @classmethod
    def from_json(cls, value: dict) -> IdVocabulary:
        """Return the vocabulary that to_json described."""
        return cls(value["size"])

    def _text(self, ids: list[int]) -> str:
        return " ".join(self.tokens[i] for i in ids)
