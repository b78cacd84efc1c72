"""Submissions brought together: one folder per student, out of folders and zip files."""

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
from .lms_names import nearly_stem_of, own_name, safe_name, stem_of, student_of_upload

LARGEST = 4 << 20  # bytes of an answer
# zipfile raises these: RuntimeError for a password, NotImplementedError for an unknown packing, and
# the others for files that are damaged or cut off
UNREADABLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
    NotImplementedError,
    EOFError,
    ValueError,
)
Submissions = dict[str, "Submission | None"]  # by stem; None where two differ


class Submission(NamedTuple):
    """An answer as it was handed in: the exercise's stem, the file's ending, bytes, and place."""

    stem: str
    suffix: str
    content: bytes
    where: str


class File(NamedTuple):
    """A file that was handed in, perhaps within a zip file; `read(n)` gives its first n bytes."""

    name: str
    where: str
    read: Callable[[int], bytes]


def collect(
    sources: Sequence[Path], out: Path, student: str = ""
) -> tuple[dict[str, list[str]], list[str]]:
    """Write each student's answers below a folder.

    Arguments:
        sources: each is a student's folder or zip file, or a folder of those, or of files as Canvas
            names them
        out: the folder; a later answer replaces the one in it
        student: the name of the student whose answers all of them are (default: many students)

    Returns the exercises of each student, and the problems. Of two answers to one exercise none is
    taken. Raises `InputError` where there is nothing at all, and where two students would share a
    folder.
    """
    # everything is read before anything is written: a name that is refused leaves nothing behind
    problems: list[str] = []
    students: dict[str, Submissions] = {}
    raw_names: dict[str, str] = {}
    for source in sources:
        for raw, place in _students(source, student, out):
            name = safe_name(raw)
            # Windows and macOS do not tell the folders Ada and ada apart
            other = raw_names.setdefault(name.casefold(), raw)
            if other != raw:
                raise InputError(f"{raw!r} and {other!r} would share a folder: rename one of them")
            answers, unread = _read(place)
            differing = _merge(students.setdefault(name, {}), answers)
            for problem in unread + differing:
                problems.append(f"{name}: {problem}")

    if not any(students.values()) and not problems:
        places = ", ".join(map(str, sources))
        raise InputError(
            f"no answers found in {places}: "
            "expected a student's folder or zip file, or a folder of those"
        )

    taken: dict[str, list[str]] = {}
    for name in sorted(students):
        make_folder(out / name)
        taken[name] = []
        for stem, answer in sorted(students[name].items()):
            if answer is not None:
                _write(out / name, answer)
                taken[name].append(stem)
    return taken, problems


def _merge(own: Submissions, answers: Sequence[Submission]) -> list[str]:
    """Add answers to a student's own. Where two differ neither is taken: return a line for them."""
    problems = []
    for answer in answers:
        other = own.setdefault(answer.stem, answer)
        if other and other.content != answer.content:
            own[answer.stem] = None
            problems.append(
                f"two answers to {answer.stem}, {other.where} and {answer.where}: keep one of them"
            )
    return problems


def _write(folder: Path, answer: Submission) -> None:
    """Write an answer; an earlier one with another ending is deleted."""
    write_atomic(folder / f"{answer.stem}{answer.suffix}", answer.content)
    for suffix in SUFFIXES:
        if suffix != answer.suffix:
            (folder / f"{answer.stem}{suffix}").unlink(missing_ok=True)


def _read(place: Path) -> tuple[list[Submission], list[str]]:
    """Return the answers in a folder, a zip file or a file, and a line for each problem."""
    answers: list[Submission] = []
    problems: list[str] = []
    misnamed: dict[str, str] = {}  # the stem that a name resembles
    zips: list[str] = []  # within a zip file
    for file in _files(place, problems):
        own = own_name(file.name)
        stem = stem_of(own)
        if own.lower().endswith(".zip"):
            zips.append(file.where)
        if not stem:
            misnamed[own] = nearly_stem_of(own)
            continue
        # one byte more than may be: what the header of a zip file says of a size may be false
        try:
            content = file.read(LARGEST + 1)
        except UNREADABLE as error:
            problems.append(f"{file.where} cannot be read ({error}): ask for it again")
            continue
        if len(content) > LARGEST:
            problems.append(f"{file.where} is larger than {LARGEST >> 20} MiB")
        # one that is too large is taken, cut off: the grading then tells the student the reason
        answers.append(Submission(stem, PurePath(own).suffix, content, file.where))

    answered = {answer.stem for answer in answers}
    # a second, misnamed version of an answer that was taken needs no line
    for name, stem in misnamed.items():
        if stem and stem not in answered:
            right = f"{stem}{PurePath(name).suffix.lower()}"
            problems.append(f"{name} is not taken: if it is the answer to {stem}, call it {right}")
    if not answers:
        for where in zips:
            problems.append(f"{where} is a zip file in a zip file: unpack it, and collect again")
    return answers, problems


def _files(place: Path, problems: list[str]) -> Iterator[File]:
    """Yield each file of a student, also inside zip files; no links."""
    if place.is_file():
        paths = [place]
    else:
        paths = sorted(place.rglob("*"))
    for path in paths:
        # a link could hand in any file of the teacher's machine
        if path.is_symlink() or not path.is_file():
            continue
        where = path.name
        if place.is_dir():
            where = str(path.relative_to(place))
        if path.suffix.lower() != ".zip":
            yield File(path.name, where, partial(_read_path, path))
            continue
        # each file is read while the generator waits at its yield, with the archive still open
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in archive.infolist():
                    if not entry.is_dir():
                        # some programs of Windows write \ between folders; of the path only the
                        # name counts, so that it leads nowhere
                        name = PurePosixPath(entry.filename.replace("\\", "/")).name
                        read = partial(_read_entry, archive, entry)
                        yield File(name, f"{where}/{entry.filename}", read)
        except UNREADABLE as error:
            problems.append(f"{where} is not a whole zip file ({error}): ask for it again")


def _read_path(path: Path, n: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(n)


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, n: int) -> bytes:
    """Return the first n bytes of an entry, whatever its header says of its size."""
    with archive.open(entry, "r") as file:
        return file.read(n)


def _students(source: Path, student: str, out: Path) -> list[tuple[str, Path]]:
    """Return each student's name, as it comes, and folder, zip file or file.

    The whole source is one student's where one is named. Students with one name get their numbers
    after it, also where an earlier collection in `out` had both.
    """
    if not source.exists():
        raise InputError(f"{source} does not exist: check the name and the folder")
    if source.is_file() and source.suffix.lower() != ".zip":
        raise InputError(f"{source} is neither a folder nor a zip file")
    if source.is_file() or student:
        return [(student or source.stem, source)]

    # hidden files, and the folder __MACOSX that macOS adds to a zip file
    inside = sorted(path for path in source.iterdir() if not path.name.startswith((".", "__")))
    # a folder with an answer in it is a student's own
    if any(stem_of(path.name) for path in inside):
        return [(source.resolve().name, source)]
    uploads = []
    numbers: dict[str, set[str]] = {}  # by name
    for path in inside:
        name, number = student_of_upload(path.name, folder=path.is_dir())
        # a single file is a student's only with a platform's name, which holds the student's
        own = own_name(path.name)
        is_answer = bool(name and (stem_of(own) or nearly_stem_of(own)))
        is_taken = path.is_dir() or path.suffix.lower() == ".zip" or is_answer
        if path.is_symlink() or not is_taken:
            continue
        if not name:
            name = path.name if path.is_dir() else path.stem
        uploads.append((name, number, path))
        numbers.setdefault(name, set()).add(number)

    students = []
    for name, number, path in uploads:
        numbered = f"{name}_{number}"
        # all of them, because a late answer comes without those of the others
        is_shared = len(numbers[name]) > 1 or (out / safe_name(numbered)).is_dir()
        if number and is_shared:
            name = numbered
        students.append((name, path))
    return students
