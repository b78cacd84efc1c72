"""What is printed stays what it should be, whatever characters stand in it: one line, or text that steers nothing."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ..utils.one_line import CONTROLS, one_line

STEERING = {code: " " for code in CONTROLS if chr(code) not in "\n\t\u2028\u2029"}


def strip_controls(text: str) -> str:
    r"""Return a text of lines with a space for each character that would steer a terminal.

    >>> strip_controls("a\nb\tc\x1b[2Jd")
    'a\nb\tc [2Jd'
    """
    return text.translate(STEERING)


def print_error(message: str) -> None:
    """Say something on standard error."""
    print(f"npformer: {one_line(message)}", file=sys.stderr)


@contextmanager
def report_warnings() -> Iterator[None]:
    """Say what Python warns of, each thing once and in one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print_error(message)
