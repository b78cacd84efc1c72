"""The answers in a student's folder or zip file, however deep; nothing in them decides where anything is written."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .names import stem_of, uploaded

LARGEST = 4 << 20  # bytes of an answer


class Handed(NamedTuple):
    """An answer as it was handed in: the exercise's stem, the kind of file, its bytes, and where it was."""

    stem: str
    suffix: str
    content: bytes
    where: str


class TooLarge(Exception):
    """A file that is no answer of a student's."""


def read_handed(place: Path) -> tuple[list[Handed], list[str]]:
    """Return the answers in a folder, a zip file, or a file, and a line for whatever could not be read."""
    found, problems = [], []
    for path in files_in(place):
        try:
            found += unzipped(path) if path.suffix.lower() == ".zip" else [plain(path)]
        except TooLarge as error:
            problems.append(f"{error} is larger than {LARGEST >> 20} MiB")
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
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


def plain(path: Path) -> Handed:
    """Return a file."""
    if path.stat().st_size > LARGEST:
        raise TooLarge(path.name)
    return Handed(stem_of(path.name) or stem_of(uploaded(path.name).name), path.suffix, path.read_bytes(), path.name)


def unzipped(file: Path) -> list[Handed]:
    """Return the answers in a zip file, by their last names alone."""
    found = []
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = PurePosixPath(entry.filename.replace("\\", "/")).name
            if not stem_of(name) or entry.is_dir():
                continue
            if entry.file_size > LARGEST:
                raise TooLarge(f"{name} in {file.name}")
            with archive.open(entry, "r") as content:
                handed = Handed(
                    stem_of(name), Path(name).suffix, content.read(LARGEST), f"{file.name}/{entry.filename}"
                )
            found.append(handed)
    return found
