"""The answers in a student's folder or zip file, however deep; nothing in them decides where anything is written."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from .lms_names import nearly_stem_of, own_name, stem_of

LARGEST = 4 << 20  # bytes of an answer
DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError)


class Handed(NamedTuple):
    """An answer as it was handed in: the exercise's stem, the kind of file, its bytes, and where it was."""

    stem: str
    suffix: str
    content: bytes
    where: str


def read_handed(place: Path) -> tuple[list[Handed], list[str]]:
    """Return the answers in a folder, a zip file, or a file, and a line for whatever could not be read or taken."""
    found, problems, misnamed = [], [], []
    for path in files_in(place):
        own = own_name(path.name)
        try:
            if path.suffix.lower() == ".zip":
                found += unzipped(path, problems, misnamed)
            elif not stem_of(own):
                misnamed.append(own)
            elif path.stat().st_size > LARGEST:
                problems.append(too_large(path.name))
            else:
                where = str(path.relative_to(place)) if place.is_dir() else path.name
                found.append(Handed(stem_of(own), path.suffix, path.read_bytes(), where))
        except DAMAGED as error:
            problems.append(f"{path.name} is no whole zip file ({error}): ask for it again")
        except OSError as error:
            problems.append(f"cannot read {path.name}: {error.strerror or error}")
    return found, problems + not_taken(misnamed, {answer.stem for answer in found})


def not_taken(misnamed: list[str], answered: set[str]) -> list[str]:
    """Return a line for each file whose name is nearly that of an exercise which nothing else answers."""
    meant = {name: nearly_stem_of(name) for name in misnamed}
    return [
        f"{name} is not taken: if it is the answer to {stem}, call it {stem}{PurePath(name).suffix.lower()}"
        for name, stem in meant.items()
        if stem not in answered
    ]


def files_in(place: Path) -> Iterator[Path]:
    """Yield the zip files of a folder, its answers, and what is nearly called like one; links are not followed."""
    if place.is_file():
        yield place
        return
    for path in sorted(place.rglob("*")):
        own = own_name(path.name)
        fits = path.suffix.lower() == ".zip" or stem_of(own) or nearly_stem_of(own)
        if fits and path.is_file() and not path.is_symlink():
            yield path


def too_large(what: str) -> str:
    """Say so of a file."""
    return f"{what} is larger than {LARGEST >> 20} MiB"


def unzipped(file: Path, problems: list[str], misnamed: list[str]) -> list[Handed]:
    """Return the answers in a zip file, by their last names alone.

    `problems` gets a line for one that cannot be read, and `misnamed` the names that are nearly an exercise's.
    """
    found = []
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = PurePosixPath(entry.filename.replace("\\", "/")).name
            if entry.is_dir():
                continue
            if not stem_of(name):
                misnamed += [name] if nearly_stem_of(name) else []
                continue
            if entry.file_size > LARGEST:
                problems.append(too_large(f"{name} in {file.name}"))
                continue
            where = f"{file.name}/{entry.filename}"
            try:
                with archive.open(entry, "r") as content:
                    found.append(Handed(stem_of(name), Path(name).suffix, content.read(LARGEST), where))
            except DAMAGED as error:
                problems.append(f"{where} cannot be read ({error}): ask for it again")
    return found
