"""A mistake to plant: a text that occurs once in the source, and what replaces it."""

from dataclasses import dataclass

from .errors import InputError


class StalePatch(InputError):
    """The text to be replaced no longer stands once in the source: look where it went."""


@dataclass(frozen=True)
class Edit:
    """`wrong` stands where `right` stood, once.

    >>> Edit("+ b", "- b").apply("y = x @ w + b")
    'y = x @ w - b'
    """

    right: str
    wrong: str

    def apply(self, source: str) -> str:
        """Return the edited source. Raises `StalePatch` unless `right` is in it once."""
        if source.count(self.right) != 1:
            raise StalePatch(f"{self.right!r} stands {source.count(self.right)} times in the source, expected once")
        return source.replace(self.right, self.wrong)
