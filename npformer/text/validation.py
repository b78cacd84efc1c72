"""Checks of texts: several where one alone would be taken apart, and valid Unicode for the libraries."""

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


def check_unicode(text: str) -> None:
    r"""Raise `InputError` for a text with half of a surrogate pair, as a file name or broken JSON may bring in.

    >>> check_unicode("Grüße")
    >>> check_unicode("a\ud800")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: a text holds '\ud800', half a character: expected valid Unicode
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a text holds {text[error.start]!r}, half a character: expected valid Unicode") from None
