"""Submissions brought together: one folder per student, out of folders and zip files as they come."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, write_atomic

from ..submission import SUFFIXES
from .lms_names import nearly_stem_of, own_name, safe_name, stem_of, uploaded_by

LARGEST = 4 << 20  # bytes of an answer
UNREADABLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
    NotImplementedError,
    EOFError,
    ValueError,
)


class Submitted(NamedTuple):
    """An answer as it was handed in: the exercise's stem, the file's ending, its bytes, and where it was."""

    stem: str
    suffix: str
    content: bytes
    where: str


def collect(
    sources: Sequence[Path], out: Path, student: str = ""
) -> tuple[dict[str, list[str]], list[str]]:
    """Write each student's answers below `out`, or all of them for `student`; return them and the problems.

    A source is a student's folder or zip file, or a folder of those, or of files as Canvas names them. A later answer
    replaces the one in `out`. Of two answers to one exercise none is taken. Raises `InputError` where there is nothing
    at all, and where two students would share a folder.
    """
    problems: list[str] = []
    students: dict[str, dict[str, Submitted | None]] = {}
    raw_names: dict[str, str] = {}
    for raw, place in [pair for source in sources for pair in _students(source, student)]:
        name = safe_name(raw)
        if raw_names.setdefault(name.casefold(), raw) != raw:
            raise InputError(
                f"{raw!r} and {raw_names[name.casefold()]!r} would share a folder: rename one of them"
            )
        answers, own_problems = _read(place)
        own_problems += _merge(students.setdefault(name, {}), answers)
        problems += [f"{name}: {problem}" for problem in own_problems]
    if not any(students.values()) and not problems:
        raise InputError(
            f"nothing was handed in in {', '.join(map(str, sources))}: "
            "expected a student's folder or zip file, or a folder of those"
        )
    for name, own in students.items():
        make_folder(out / name)
        for answer in filter(None, own.values()):
            _write(out / name, answer)
    return {
        name: sorted(stem for stem, one in students[name].items() if one)
        for name in sorted(students)
    }, problems


def _merge(own: dict[str, Submitted | None], answers: Sequence[Submitted]) -> list[str]:
    """Add answers to a student's own. Where two differ neither is taken: return a line about them."""
    problems = []
    for answer in answers:
        other = own.setdefault(answer.stem, answer)
        if other and other.content != answer.content:
            own[answer.stem] = None
            problems.append(
                f"two answers to {answer.stem}, {other.where} and {answer.where}: keep one of them"
            )
    return problems


def _write(folder: Path, answer: Submitted) -> None:
    """Write an answer; an earlier one with another ending is deleted."""
    write_atomic(folder / f"{answer.stem}{answer.suffix}", answer.content)
    for suffix in SUFFIXES:
        if suffix != answer.suffix:
            (folder / f"{answer.stem}{suffix}").unlink(missing_ok=True)


def _read(place: Path) -> tuple[list[Submitted], list[str]]:
    """Return the answers in a folder, a zip file or a file, and a line for each that cannot be taken."""
    answers, problems, misnamed = [], [], {}
    for name, where, size, read in _files(place, problems):
        own = own_name(name)
        stem = stem_of(own)
        if not stem:
            misnamed[own] = nearly_stem_of(own)
        elif size > LARGEST:
            problems.append(f"{where} is larger than {LARGEST >> 20} MiB")
        else:
            try:
                answers.append(Submitted(stem, PurePath(own).suffix, read(), where))
            except UNREADABLE as error:
                problems.append(f"{where} cannot be read ({error}): ask for it again")
    answered = {answer.stem for answer in answers}
    for name, stem in misnamed.items():
        if stem and stem not in answered:
            right = f"{stem}{PurePath(name).suffix.lower()}"
            problems.append(f"{name} is not taken: if it is the answer to {stem}, call it {right}")
    return answers, problems


def _files(place: Path, problems: list[str]) -> Iterator[tuple[str, str, int, Callable[[], bytes]]]:
    """Yield the name, place, size and content of each file of a student, also inside zip files; no links."""
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        where = str(path.relative_to(place)) if place.is_dir() else path.name
        if path.suffix.lower() != ".zip":
            yield path.name, where, path.stat().st_size, path.read_bytes
            continue
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in archive.infolist():
                    name = PurePosixPath(entry.filename.replace("\\", "/")).name
                    if not entry.is_dir():
                        yield (
                            name,
                            f"{where}/{entry.filename}",
                            entry.file_size,
                            partial(archive.read, entry),
                        )
        except UNREADABLE as error:
            problems.append(f"{where} is not a whole zip file ({error}): ask for it again")


def _students(source: Path, student: str) -> list[tuple[str, Path]]:
    """Return each student's name, as it comes, and folder, zip file or file; the whole source where one is named."""
    if not source.exists():
        raise InputError(f"{source} does not exist: check the name and the folder")
    if source.is_file() and source.suffix.lower() != ".zip":
        raise InputError(f"{source} is neither a folder nor a zip file")
    if source.is_file() or student:
        return [(student or source.stem, source)]
    inside = sorted(path for path in source.iterdir() if not path.name.startswith((".", "__")))
    if any(stem_of(path.name) for path in inside):
        return [(source.resolve().name, source)]
    students, numbers = [], {}
    for path in inside:
        name, number = uploaded_by(path.name, folder=path.is_dir())
        own = own_name(path.name)
        is_answer = bool(name and (stem_of(own) or nearly_stem_of(own)))
        if path.is_symlink() or not (path.is_dir() or path.suffix.lower() == ".zip" or is_answer):
            continue
        name = name or (path.name if path.is_dir() else path.stem)
        first = numbers.setdefault(name, number)
        students.append(
            (name if number == first else f"{name}_{number}", path)
        )  # two students with one name
    return students
