"""Labeled texts whose sha256 is verified: from a .tsv file, or out of a published archive."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from zlib import error as ZlibError

from ..utils.errors import InputError, prefix_errors
from .data_set import LabeledText
from .download import Published, own_file, own_folder
from .own_files import read_labeled

ReadRows = Callable[[zipfile.ZipFile], Iterable[LabeledText]]


def archived_rows(
    published: Published, archive: str, table: str, read: ReadRows, expected: str
) -> list[LabeledText]:
    """Return the rows of a table: those of the user's file, or those in the archive.

    Arguments:
        published: the data set
        archive: the name of the archive
        table: the name of the user's .tsv file, which comes first
        read: finds the rows in the archive
        expected: the sha256 of the rows, with a label, a tab and a text per line

    Raises `InputError` where the rows have another sha256, and where the archive cannot be had or
    read.
    """
    folder = own_folder(published.folder)
    own = own_file(folder, table) if folder else None
    if own:
        path = own
        rows = read_labeled(own)
    else:
        path = published.files(archive)[0]
        rows = _unpacked(path, read)

    with prefix_errors(f"{path} is not the file of {published.title}"):
        check_rows(rows, expected, f"fetch {published.address}{archive} again in its place")
    return rows


def check_rows(rows: Sequence[LabeledText], expected: str, remedy: str) -> None:
    """Raise `InputError` unless the rows, written as a .tsv file, have this sha256."""
    # of the rows, not of the file, which may have other line ends or be packed
    table = "".join(f"{label}\t{text}\n" for label, text in rows)
    actual = sha256(table.encode("utf-8")).hexdigest()
    if actual != expected:
        raise InputError(f"the sha256 of its rows is {actual}, expected {expected}: {remedy}")


def _unpacked(path: Path, read: ReadRows) -> list[LabeledText]:
    try:
        with zipfile.ZipFile(path) as archive:
            return list(read(archive))
    # zipfile raises all of these for damaged archives
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, ZlibError) as error:
        reason = error.args[0] if error.args else type(error).__name__
        raise InputError(f"cannot read {path} ({reason}): fetch it again in its place") from None
