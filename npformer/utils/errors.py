"""The two errors that a user can fix: bad input and a missing extra; and text as one line."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

# also C1 controls, which some terminals obey, and of Unicode the line separators and what turns
# the direction of the text that follows
CONTROLS = dict.fromkeys(
    [
        *range(0x20),
        *range(0x7F, 0xA0),
        0x2028,
        0x2029,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ],
    " ",
)


class InputError(ValueError):
    """Input that cannot be used.

    The message says what was given, what is expected and what to do.
    """


class MissingExtraError(InputError, ImportError):
    """A library that this feature needs is not installed; the message says how to install it."""


@contextmanager
def prefix_errors(what: str) -> Iterator[None]:
    """Begin the message of an `InputError` in a with block with `what`.

    That of a library that is missing stays as it is.
    """
    try:
        yield
    except MissingExtraError:
        raise
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def import_optional(library: str, install: str) -> ModuleType:
    """Import `library`, or raise `MissingExtraError`, which says what pip installs it with.

    `install` is that: `"npformer"` for what comes with every installation, or an extra such as
    `"npformer[cuda12]"`.
    """
    try:
        return importlib.import_module(library)
    except ImportError:
        name = library.partition(".")[0]
        if sys.platform == "emscripten":
            advice = "it is not for the browser"
        else:
            advice = f'run  pip install "{install}"'
        raise MissingExtraError(f"{name} is not installed: {advice}") from None
    except ValueError as error:  # a setting of its own: MPLBACKEND=nonsense
        raise InputError(f"{library} cannot be imported: {error}") from None


def one_line(text: str) -> str:
    r"""Return a text with a space for each character that ends a line or controls a terminal.

    >>> one_line("a\nb\tc\u2028d")
    'a b c d'
    """
    return text.translate(CONTROLS)
