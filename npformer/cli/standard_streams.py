"""The streams of the command line, and errors and warnings as one line each."""

import io
import os
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ..utils.errors import CONTROLS, one_line

# what controls a terminal
STEERING = {code: " " for code in CONTROLS if chr(code) not in "\n\t\u2028\u2029"}


def open_streams() -> None:
    """Write UTF-8, and file names in their own bytes; do without a closed standard error."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    if sys.stdout is None:
        raise OSError("standard output is closed: redirect it to a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # the locale may have another encoding, and the name of a file may be any bytes
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def shell_command(words: list[str]) -> str:
    """Return a command as this system's shell reads it."""
    if sys.platform == "win32":  # whose shell knows no single quotes
        return subprocess.list2cmdline(words)
    return shlex.join(words)


def print_error(message: str) -> None:
    """Print a line on standard error.

    If it cannot be written, for example on a full disk, the work continues.
    """
    try:
        print(f"npformer: {one_line(message)}", file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


@contextmanager
def report_warnings() -> Iterator[None]:
    """Print what Python warns of, each thing once and in one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print_error(message)
