"""Several texts, where one alone would be taken apart into its characters."""

from collections.abc import Iterable

from ..utils import InputError


def check_several(texts: Iterable[str], what: str = "lines") -> None:
    """Raise `InputError` where one text came in the place of several: its characters would pass for texts.

    >>> check_several(["the dog"])
    >>> check_several("the dog")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: 'the dog' is one text: expected several lines, such as ['the dog']
    """
    if isinstance(texts, str):
        shown = f"{texts[:20]}..." if len(texts) > 20 else texts
        raise InputError(f"{shown!r} is one text: expected several {what}, such as {[shown]!r}")
