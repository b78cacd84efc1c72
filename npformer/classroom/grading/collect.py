"""Bringing submissions together: one folder a student, out of folders and zip files as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...utils.errors import InputError
from ...utils.files import make_folder, write_atomic
from ..submission import SUFFIXES
from .archives import Handed, files_in, read_handed
from .lms_names import Uploaded, name_of, nearly_stem_of, stem_of, uploaded


class Collected(NamedTuple):
    """The exercises of each student that were written, and a line for whatever could not be taken."""

    students: dict[str, list[str]]
    problems: list[str]


def collect(sources: Sequence[Path], out: Path, student: str = "") -> Collected:
    """Write each student's answers below `out`; all of `student` where one is named.

    A source is a student's folder or zip file, or a folder of those, or of files as Canvas names them. What has no
    name of an exercise is left where it is, and told where its name comes near one. What is handed in later replaces
    what `out` holds of it. Where a zip file is damaged or a student has two answers to one exercise, the others are
    written all the same. Raises `InputError` where there is nothing at all, and where two students would share a
    folder.
    """
    problems: list[str] = []
    found: dict[str, dict[str, Handed]] = {}
    in_doubt: dict[str, set[str]] = {}
    raw_names: dict[str, str] = {}
    for raw, place in [pair for source in sources for pair in places(source, student)]:
        name = name_of(raw)
        if raw_names.setdefault(name.casefold(), raw) != raw:
            raise InputError(f"{raw!r} and {raw_names[name.casefold()]!r} would share a folder: rename one of them")
        handed, own_problems = read_handed(place)
        problems += [f"{name}: {problem}" for problem in own_problems]
        merge(found.setdefault(name, {}), handed, in_doubt.setdefault(name, set()), f"{name}: ", problems)
    if not found:
        raise InputError(
            f"nothing was handed in in {', '.join(map(str, sources))}: "
            "expected a student's folder or zip file, or a folder of those"
        )
    for name, answers in found.items():
        make_folder(out / name)
        for stem in in_doubt[name]:
            del answers[stem]
        for stem, handed in answers.items():
            write_answer(out / name, stem, handed)
    return Collected({name: sorted(found[name]) for name in sorted(found)}, problems)


def merge(own: dict[str, Handed], handed: Sequence[Handed], in_doubt: set[str], told: str, problems: list[str]) -> None:
    """Add answers to a student's own; where two differ nobody knows which is meant, and the exercise is in doubt."""
    for answer in handed:
        other = own.setdefault(answer.stem, answer)
        if other.content != answer.content and answer.stem not in in_doubt:
            in_doubt.add(answer.stem)
            problems.append(f"{told}two answers to {answer.stem}, {other.where} and {answer.where}: keep one of them")


def write_answer(folder: Path, stem: str, handed: Handed) -> None:
    """Write one answer; an earlier one of the other kind goes."""
    write_atomic(folder / f"{stem}{handed.suffix}", handed.content)
    for suffix in SUFFIXES:
        if suffix != handed.suffix:
            (folder / f"{stem}{suffix}").unlink(missing_ok=True)


def places(source: Path, student: str = "") -> list[tuple[str, Path]]:
    """Return each student's name, as it comes, and folder, zip file or file; the whole source where one is named."""
    if not source.exists():
        raise InputError(f"{source} does not exist: check the name and the folder")
    if source.is_file():
        if source.suffix.lower() != ".zip":
            raise InputError(f"{source} is neither a folder nor a zip file")
        return [(student or source.stem, source)]
    if student:
        return [(student, source)] if any(files_in(source)) else []
    inside = sorted(path for path in source.iterdir() if not path.name.startswith((".", "__")))
    if any(stem_of(path.name) for path in inside):
        return [(source.resolve().name, source)]
    found = []
    for path in inside:
        folder, zipped = path.is_dir(), path.suffix.lower() == ".zip"
        own = uploaded(path.name, folder=folder)
        answer = own.student and (stem_of(own.name) or nearly_stem_of(own.name))
        if not path.is_symlink() and (folder or zipped or answer):
            found.append((own if own.student else Uploaded(path.stem if zipped else path.name, "", ""), path))
    return [(told_apart(own, [other for other, _ in found]), path) for own, path in found]


def told_apart(own: Uploaded, others: Sequence[Uploaded]) -> str:
    """Return a student's name, with the number where another has the same name."""
    alike = {other.number for other in others if other.student == own.student}
    return f"{own.student}_{own.number}" if len(alike) > 1 and own.number else own.student
