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

from .. import course
from ..files import student_text
from ..percent_format import TODO
from ..submission import SUFFIXES
from ..words import listed
from .lms_names import own_name, safe_name, stem_of, student_of_upload
from .near_names import NearName, has_answer_ending, near_name

LARGEST = 4 << 20  # bytes of an answer
ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz")  # of other kinds than zip
# zipfile raises these: RuntimeError for a password or an unknown packing, and the others for files
# that are damaged or cut off
UNREADABLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
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


class Misnamed(NamedTuple):
    """A file whose name only resembles an answer's: its name, what it may be, and bytes."""

    name: str
    near: NearName
    content: bytes


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
    taken, and of two students who would share a folder nothing. Raises `InputError` where there is
    nothing at all.
    """
    problems: list[str] = []
    # Windows and macOS do not tell the folders Ada and ada apart
    places: dict[str, list[tuple[str, Path]]] = {}
    for source in sources:
        for raw, place in _students(source, student, out, problems):
            places.setdefault(safe_name(raw).casefold(), []).append((raw, place))

    # everything is read before anything is written
    students: dict[str, Submissions] = {}
    for same_folder in places.values():
        raw_names = sorted({raw for raw, _ in same_folder})
        if len(raw_names) > 1:
            names = listed([repr(raw) for raw in raw_names])
            problems.append(
                f"{names} would share a folder, nothing of them is taken: rename all but one"
            )
            continue
        name = safe_name(raw_names[0])
        students[name], own_problems = _read_student([place for _, place in same_folder])
        for problem in own_problems:
            problems.append(f"{name}: {problem}")

    if not any(students.values()) and not problems:
        raise InputError(
            f"no answers found in {', '.join(map(str, sources))}: "
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


def _read_student(places: Sequence[Path]) -> tuple[Submissions, list[str]]:
    """Return a student's answers in folders, zip files and files, and a line for each problem."""
    own: Submissions = {}
    all_misnamed: list[Misnamed] = []
    problems: list[str] = []
    for place in places:
        answers, misnamed, unread = _read(place)
        all_misnamed += misnamed
        problems += unread + _merge(own, answers)
    # by all answers: another file of the student's may be what a misnamed one was
    return own, problems + _misnamed_lines(all_misnamed, own)


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


def _misnamed_lines(misnamed: Sequence[Misnamed], own: Submissions) -> list[str]:
    """Return a line for each misnamed file in which work may be lost; `own` is what is taken."""
    lines: list[str] = []
    for file in misnamed:
        line = _misnamed_line(file, own)
        if line and line not in lines:
            lines.append(line)
    return lines


def _misnamed_line(file: Misnamed, own: Submissions) -> str:
    """Return a line for a misnamed file, or nothing where the taken answers are all there is."""
    is_notebook = ".ipynb" in file.name.lower() or file.content.lstrip().startswith(b"{")
    suffix = ".ipynb" if is_notebook else ".py"
    right_names = [f"{stem}{suffix}" for stem in file.near.stems]
    if len(right_names) == 1:
        what = f"the answer to {file.near.stems[0]}"
    else:
        what = "an answer"
    # between quotes a space at the end is seen
    name = file.name if file.name == file.name.strip() else repr(file.name)
    line = f"{name} is not taken: if it is {what}, call it {listed(right_names, 'or')}"

    taken = []
    for stem in file.near.stems:
        answer = own.get(stem)
        if answer is None:
            return line
        taken.append(answer)
    if any(answer.content == file.content for answer in taken):
        return ""
    for answer in taken:
        if _is_unwritten(answer):
            return f"{line}; nothing is written in {answer.where}, which is taken"
    if file.near.is_version:
        return f"{line}; {taken[0].where}, which is taken, differs from it"
    return ""


def _is_unwritten(answer: Submission) -> bool:
    """Return whether an answer has all the places to write in that it was handed out with."""
    n_places = student_text(course.load(answer.stem)).count(TODO)
    return answer.content.count(TODO.encode()) >= n_places


def _read(place: Path) -> tuple[list[Submission], list[Misnamed], list[str]]:
    """Return the answers in a folder, zip file or file, the misnamed, and lines for problems."""
    answers: list[Submission] = []
    misnamed: list[Misnamed] = []
    problems: list[str] = []
    zips: list[str] = []  # within a zip file
    archives: list[str] = []  # of other kinds
    for file in _files(place, problems):
        own = own_name(file.name)
        stem = stem_of(own)
        near = near_name(own)
        if own.lower().endswith(".zip"):
            zips.append(file.where)
        if own.lower().endswith(ARCHIVES):
            archives.append(file.where)
        if not stem and near is None:
            continue
        # one byte more than may be: what the header of a zip file says of a size may be false
        try:
            content = file.read(LARGEST + 1)
        except UNREADABLE as error:
            problems.append(f"{file.where} cannot be read ({error}): ask for it again")
            continue
        if near is not None:
            misnamed.append(Misnamed(own, near, content))
            continue
        if len(content) > LARGEST:
            problems.append(f"{file.where} is larger than {LARGEST >> 20} MiB")
        # one that is too large is taken, cut off: the grading then tells the student the reason
        answers.append(Submission(stem, PurePath(own).suffix, content, file.where))

    for where in zips:
        problems.append(f"{where} is a zip file in a zip file: unpack it, and collect again")
    # beside an answer they may be data
    if not answers:
        problems += map(_of_archive, archives)
    return answers, misnamed, problems


def _of_archive(where: str) -> str:
    """Return the line for an archive that is no zip file."""
    return f"{where} is not taken: unpack it, or ask for a zip file"


def _of_link(where: str) -> str:
    """Return the line for a link that may be an answer, or hold some."""
    return f"{where} is a link and not taken: copy what it leads to in its place"


def _files(place: Path, problems: list[str]) -> Iterator[File]:
    """Yield each file of a student, also inside zip files; no links."""
    if place.is_file():
        paths = [place]
    else:
        paths = sorted(place.rglob("*"))
    for path in paths:
        where = path.name
        if place.is_dir():
            where = str(path.relative_to(place))
        # a link could hand in any file of the teacher's machine
        if path.is_symlink():
            if _may_be_answer(own_name(path.name)):
                problems.append(_of_link(where))
            continue
        if not path.is_file():
            continue
        if path.suffix.lower() == ".zip":
            yield from _zipped_files(path, where, problems)
        else:
            yield File(path.name, where, partial(_read_path, path))


def _zipped_files(path: Path, where: str, problems: list[str]) -> Iterator[File]:
    """Yield each file of a zip file; it is read while the archive is still open."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                # some programs of Windows write \ between folders; of the path only the name
                # counts, so that it leads nowhere
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


def _students(source: Path, student: str, out: Path, problems: list[str]) -> list[tuple[str, Path]]:
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

    uploads, single_files = _entries(source, out)
    # a folder with an answer in it is a student's own, unless others' are next to that
    if single_files:
        if not any(_holds_answer(path) for _, _, path in uploads):
            return [(source.resolve().name, source)]
        for name in single_files:
            problems.append(
                f"{name} in {source} is not taken, because there are also folders or files of "
                "students: move it to its student, or use --student NAME if all is one student's"
            )

    problems += _links_among_students(source)
    problems += _archives_among_students(source)
    numbers: dict[str, set[str]] = {}  # by name
    for name, number, _ in uploads:
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


def _links_among_students(source: Path) -> list[str]:
    """Return a line for each link in a folder of students' that may be a student's."""
    lines = []
    for path in sorted(source.iterdir()):
        may_be = path.is_dir() or path.suffix == ".zip" or _may_be_answer(own_name(path.name))
        if path.is_symlink() and may_be and not path.name.startswith("."):
            lines.append(_of_link(str(path)))
    return lines


def _archives_among_students(source: Path) -> list[str]:
    """Return a line for each archive of another kind than zip in a folder of students'."""
    lines = []
    for path in sorted(source.iterdir()):
        if path.name.lower().endswith(ARCHIVES) and path.is_file():
            lines.append(_of_archive(str(path)))
    return lines


def _entries(source: Path, out: Path) -> tuple[list[tuple[str, str, Path]], list[str]]:
    """Return what may be students' in a folder, with their names and numbers, and other answers.

    The folder `out`, which may have been collected into before, is none of them. The others are the
    names of files that are answers, or resemble one, without a student's name.
    """
    uploads = []
    single_files = []
    for path in sorted(source.iterdir()):
        # hidden files, and the folder __MACOSX that macOS adds to a zip file
        if path.name.startswith((".", "__")) or path.is_symlink():
            continue
        if path.resolve() == out.resolve():
            continue
        name, number = student_of_upload(path.name, folder=path.is_dir())
        own = own_name(path.name)
        if path.is_dir():
            uploads.append((name or path.name, number, path))
        elif path.suffix.lower() == ".zip":
            uploads.append((name or path.stem, number, path))
        elif own == path.name and _may_be_answer(own):
            single_files.append(path.name)
        # a single file is a student's only with a platform's name, which holds the student's
        elif own != path.name and (has_answer_ending(own) or near_name(own)):
            uploads.append((name, number, path))
    return uploads, single_files


def _may_be_answer(name: str) -> bool:
    """Return whether a name is an answer's, or that of a misnamed version of one."""
    near = near_name(name)
    return stem_of(name) != "" or (near is not None and near.is_version)


def _holds_answer(place: Path) -> bool:
    """Return whether a folder, a zip file or a file is an answer, or holds one."""
    return any(_may_be_answer(own_name(file.name)) for file in _files(place, []))
