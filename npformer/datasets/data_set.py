"""A data set: its examples, what it is called, what fits it, and how its parts are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..utils.errors import InputError


class SentencePair(NamedTuple):
    r"""A sentence, its translation and, where it is known, the word alignment.

    The alignment holds pairs (i, j): token i of the source is translated by token j of the target.
    Tokens are words and punctuation marks, counted from 0, as `re.findall(r"\w+|[^\w\s]", text)`
    splits them.

    >>> SentencePair("He gets up.", "Er steht auf.", ((0, 0), (1, 1), (1, 2))).pharaoh
    '0-0 1-1 1-2'
    """

    source: str
    target: str
    alignment: tuple[tuple[int, int], ...] = ()

    @property
    def pharaoh(self) -> str:
        """The alignment as alignment tools write it, such as "0-0 1-2"."""
        return " ".join(f"{i}-{j}" for i, j in self.alignment)


class LabeledText(NamedTuple):
    """The name of a class, and a text of that class; a .tsv file has them in this order."""

    label: str
    text: str


Part = Sequence[SentencePair] | Sequence[LabeledText] | Sequence[str]
# the names of the parts, the direction and the seed
ReadParts = Callable[[Sequence[str], str | None, int], Sequence[Part]]


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """Examples of a task under a name.

    Arguments:
        name: what `datasets.get` and `npformer train` call it
        recipe: what to train with
        read: returns the examples of some parts, in a direction and from a seed
        task: says what a part is a list of: `SentencePair` for "translation", `LabeledText` for
            "classification", and whole documents, each a string, for "language_model"
        languages: codes, or what the files of the two sides end in
        directions: such as "en-de", the first by default, of a set that can be read both ways
        parts: "train", "held_out", which training never sees, and perhaps "test", for the final
            score
        tokenizer: replaces the recipe's
        lowercase: replaces the recipe's
        is_synthetic: npformer has made the examples
        try_with: a text to try a trained model with, one for each direction (default: a held-out
            one, which in a set that people wrote may be about anything)
    """

    name: str
    recipe: str
    read: ReadParts
    task: str = "translation"
    languages: tuple[str, str] = ("src", "tgt")
    directions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("train", "held_out")
    tokenizer: str | None = None
    lowercase: str | None = None
    is_synthetic: bool = False
    try_with: tuple[str, ...] = ()

    def load(self, *parts: str, direction: str | None = None, seed: int = 0) -> list[Part]:
        """Return the examples of each part that is named; no other is read.

        Arguments:
            parts: names of parts, such as "train"
            direction: one of `directions`
            seed: which of the examples are held out, where the makers have not decided that

        Raises `InputError` for a part or a direction that the set does not have, and when a file
        cannot be read.

        >>> from npformer import datasets
        >>> train, held_out = datasets.get("reverse").load("train", "held_out")
        >>> len(train), held_out[0].source, held_out[0].target
        (10000, '9 7 0 1 3 5 0 5 0 9', '9 0 5 0 5 3 1 0 7 9')
        """
        for part in parts:
            if part not in self.parts:
                known = ", ".join(self.parts)
                raise InputError(f"{self.name} has no part {part!r}: expected some of {known}")
        return list(self.read(parts, self.checked_direction(direction), seed))

    def checked_direction(self, direction: str | None) -> str | None:
        """Return a direction, the first unless one is given.

        Raises `InputError` when the set does not have it.
        """
        if direction in self.directions:
            return direction
        if direction is None:
            return self.directions[0] if self.directions else None

        expected = "none, because there is only one"
        if self.directions:
            expected = f"one of {', '.join(self.directions)}"
        raise InputError(f"direction = {direction!r}: expected {expected}")

    def text_to_try(self, direction: str | None = None) -> str | None:
        """Return the text of `try_with` for a direction, or None if the set has none."""
        if not self.try_with:
            return None
        direction = self.checked_direction(direction)
        if direction is None:
            return self.try_with[0]
        return self.try_with[self.directions.index(direction)]

    def target_language(self, direction: str | None = None) -> str | None:
        """Return the code of the language that is translated into, of a set of real text."""
        direction = self.checked_direction(direction)
        if direction is None:
            return None
        return direction.split("-")[1]
