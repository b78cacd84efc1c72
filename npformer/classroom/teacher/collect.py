"""Bringing submissions together: one folder a student, out of folders and zip files as they come."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...base.errors import InputError
from ...base.files import make_folder, write_whole
from .. import course
from ..submission import SUFFIXES

LARGEST = 4 << 20  # bytes of an answer
NAMED = re.compile(r"(?P<number>\d\d)_(?P<id>[a-z_]+?)(?: ?\(\d+\))?$")


class Handed(NamedTuple):
    """An answer as it was handed in: by whom, to what, as which kind of file, and its bytes."""

    student: str
    stem: str
    suffix: str
    content: bytes


def collect(sources: Sequence[Path], out: Path) -> dict[str, list[str]]:
    """Write each student's answers below `out` and return their exercises by student.

    A source is a zip file or folder of one student, or a folder of those. Other files are left where they are, and
    so is whatever has no name of an exercise. Raises `InputError` where two answers would take one place.
    """
    found: dict[tuple[str, str], Handed] = {}
    students: dict[str, list[str]] = {}
    for source in sources:
        if not source.exists():
            raise InputError(f"{source} does not exist: check the name and the folder")
        for student, place in places(source):
            students.setdefault(student, [])
            for handed in answers(student, place):
                key = student, handed.stem
                if key in found and found[key].content != handed.content:
                    raise InputError(f"{student} has two answers to {handed.stem}: keep one of them in {place}")
                found[key] = handed
    if not students:
        raise InputError(f"nothing was handed in in {', '.join(map(str, sources))}: expected folders or zip files")
    for student in students:
        make_folder(out / student)
    for (student, stem), handed in sorted(found.items()):
        write_whole(out / student / f"{stem}{handed.suffix}", handed.content)
        students[student].append(stem)
    return dict(sorted(students.items()))


def places(source: Path) -> Iterator[tuple[str, Path]]:
    """Yield each student's name and folder or zip file."""
    if source.suffix == ".zip":
        yield name_of(source.stem), source
    elif source.is_dir() and any(stem_of(path.name) for path in source.iterdir()):
        yield name_of(source.resolve().name), source
    elif source.is_dir():
        for path in sorted(source.iterdir()):
            if path.is_dir() or path.suffix == ".zip":
                yield name_of(path.stem if path.suffix == ".zip" else path.name), path


def name_of(text: str) -> str:
    """Return a name that may be a folder's and stands in a table.

    >>> name_of("Ada L./../x")
    'Ada L._.._x'
    """
    return re.sub(r"[^\w .,@+-]", "_", text).strip(" .") or "_"


def answers(student: str, place: Path) -> Iterator[Handed]:
    """Yield the answers in a student's folder or zip file, however deep."""
    files = zipped(place) if place.suffix == ".zip" and place.is_file() else plain(place)
    for name, content in files:
        if stem := stem_of(name):
            yield Handed(student, stem, Path(name).suffix, content)


def stem_of(name: str) -> str:
    """Return an exercise's number and id where a file's name holds them, and nothing else."""
    path = PurePosixPath(name)
    fits = NAMED.match(path.stem) if path.suffix in SUFFIXES else None
    if not fits or fits["id"] not in course.ids():
        return ""
    return course.paths()[fits["id"]].stem


def plain(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder; links are not followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and stem_of(path.name) and path.stat().st_size <= LARGEST:
            yield path.name, path.read_bytes()


def zipped(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a zip file, by their last names alone. Raises `InputError` where it is damaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                name = PurePosixPath(entry.filename.replace("\\", "/")).name
                if stem_of(name) and not entry.is_dir() and entry.file_size <= LARGEST:
                    with archive.open(entry) as content:
                        yield name, content.read(LARGEST)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(f"{file} is no whole zip file ({error}): ask for it again") from None
