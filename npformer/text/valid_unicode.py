"""Refusing text that is no valid Unicode, before a library that wants UTF-8 meets it."""

from ..utils import InputError


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
