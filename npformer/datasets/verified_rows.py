"""Published texts with labels: from a .tsv file, or out of the archive in which their makers published them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from zlib import error as ZlibError

from ..utils.errors import InputError, prefix_errors
from .data_set import LabeledText
from .download import Published, own_file, own_folder
from .own_files import read_labeled

ReadRows = Callable[[zipfile.ZipFile], Sequence[LabeledText]]


def archived_rows(
    published: Published, archive: str, table: str, read: ReadRows, expected: str
) -> list[LabeledText]:
    """Return the rows of a table: those of the user's file of that name, or what `read` finds in the archive.

    In either case the sha256 of the rows, a label, a tab and a text per line, must be the one expected. Raises
    `InputError` where it is not, and where the archive cannot be had or read.
    """
    folder = own_folder(published.folder)
    own = folder and own_file(folder, table)
    path = own or published.files(archive)[0]
    rows = read_labeled(own) if own else _unpacked(path, read)
    with prefix_errors(f"{path} is not the file of {published.title}"):
        check_rows(rows, expected, f"fetch {published.address}{archive} again in its place")
    return rows


def check_rows(rows: Sequence[LabeledText], expected: str, remedy: str) -> None:
    """Raise `InputError` unless the rows, written as a .tsv file, have this sha256."""
    came = sha256("".join(f"{label}\t{text}\n" for label, text in rows).encode("utf-8")).hexdigest()
    if came != expected:
        raise InputError(f"the sha256 of its rows is {came}, expected {expected}: {remedy}")


def _unpacked(path: Path, read: ReadRows) -> list[LabeledText]:
    try:
        with zipfile.ZipFile(path) as archive:
            return list(read(archive))
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, ZlibError) as error:
        reason = error.args[0] if error.args else type(error).__name__
        raise InputError(f"cannot read {path} ({reason}): fetch it again in its place") from None
