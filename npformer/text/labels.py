"""The names of classes and their ids."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..utils import InputError


class Labels:
    """The classes that a classifier knows, in the order of their ids.

    Arguments:
        names: a list of two or more distinct strings

    Raises `InputError` for other names.

    >>> labels = Labels.build(["NUM", "HUM", "NUM"])
    >>> labels.names, labels.id("NUM")
    (['HUM', 'NUM'], 1)
    """

    def __init__(self, names: list[str]):
        good = (
            isinstance(names, list)
            and all(isinstance(name, str) for name in names)
            and len(set(names)) == len(names)
            and len(names) >= 2
        )
        if not good:
            raise InputError(
                f"got the labels {names!r}: expected a list of two or more distinct strings"
            )
        self.names = list(names)

    @classmethod
    def build(cls, labels: Iterable[str]) -> Labels:
        """Return the classes that occur among some labels, in alphabetical order and in NFC."""
        # sorted, because the order of a set of strings differs from process to process
        return cls(sorted({normalized(label) for label in labels}))

    def __len__(self) -> int:
        return len(self.names)

    def id(self, label: str) -> int:
        """Return the id of a class. Raises `InputError` for one that training did not have."""
        if label not in self.names:
            label = normalized(label)  # as `build` writes the names
        if label not in self.names:
            raise InputError(
                f"the label {label!r} was never seen in training: expected one of "
                + ", ".join(self.names)
            )
        return self.names.index(label)

    def to_json(self) -> dict[str, list[str]]:
        """Return what from_json needs."""
        return {"labels": self.names}

    @classmethod
    def from_json(cls, value: dict) -> Labels:
        """Return the labels that to_json described. Raises `InputError` for others."""
        return cls(value["labels"])


def normalized(label: str) -> str:
    """Return a label in NFC: as for the vocabularies, é is one letter, however it is written."""
    return unicodedata.normalize("NFC", label)
