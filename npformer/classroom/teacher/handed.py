"""The answers in a student's folder or zip file, however deep; nothing in them decides where anything is written."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from .names import stem_of, uploaded

LARGEST = 4 << 20  # bytes of an answer
DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError)


class Handed(NamedTuple):
    """An answer as it was handed in: the exercise's stem, the kind of file, its bytes, and where it was."""

    stem: str
    suffix: str
    content: bytes
    where: str


def read_handed(place: Path) -> tuple[list[Handed], list[str]]:
    """Return the answers in a folder, a zip file, or a file, and a line for whatever could not be read."""
    found, problems = [], []
    for path in files_in(place):
        try:
            if path.suffix.lower() == ".zip":
                found += unzipped(path, problems)
            elif path.stat().st_size > LARGEST:
                problems.append(too_large(path.name))
            else:
                found.append(plain(path, path.relative_to(place) if place.is_dir() else path.name))
        except DAMAGED as error:
            problems.append(f"{path.name} is no whole zip file ({error}): ask for it again")
        except OSError as error:
            problems.append(f"cannot read {path.name}: {error.strerror or error}")
    return found, problems


def files_in(place: Path) -> Iterator[Path]:
    """Yield the answers and zip files of a folder; links are not followed."""
    if place.is_file():
        yield place
        return
    for path in sorted(place.rglob("*")):
        fits = path.suffix.lower() == ".zip" or stem_of(path.name)
        if fits and path.is_file() and not path.is_symlink():
            yield path


def too_large(what: str) -> str:
    """Say so of a file."""
    return f"{what} is larger than {LARGEST >> 20} MiB"


def plain(path: Path, where: PurePath | str) -> Handed:
    """Return a file, and where it was among what was handed in."""
    return Handed(stem_of(path.name) or stem_of(uploaded(path.name).name), path.suffix, path.read_bytes(), str(where))


def unzipped(file: Path, problems: list[str]) -> list[Handed]:
    """Return the answers in a zip file, by their last names alone; problems get a line for one that cannot be read."""
    found = []
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = PurePosixPath(entry.filename.replace("\\", "/")).name
            if not stem_of(name) or entry.is_dir():
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
