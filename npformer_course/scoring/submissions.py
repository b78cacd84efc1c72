"""What the students of a class have handed in for a project: a file or a run folder of each."""

from __future__ import annotations

from pathlib import Path

from npformer.utils.errors import InputError

from ..grading.lms_names import safe_name, student_of_upload
from .language_model import FILE

RUN_FILE = "config.json"  # every run folder has one


def language_models_in(place: Path) -> dict[str, list[Path]]:
    """Return each student's files language_model.py: there should be one.

    `place` is a file, a student's folder, or a folder with a folder, or a file NAME.py, for each
    student. Raises `InputError` where there is nothing at all, or a file next to students' folders.
    """
    found: dict[str, list[Path]] = {}
    if place.is_file():
        return {safe_name(place.stem): [place]}
    _check_folder(place)
    if (place / FILE).is_file():
        _check_one_student(place, place / FILE, _in_folders(place, FILE))
        return {safe_name(place.resolve().name): [place / FILE]}
    for path in _entries(place):
        if path.is_dir():
            _add(found, path, sorted(path.rglob(FILE)))
        elif path.suffix == ".py":
            _add(found, path, [path])
    return _checked(found, place, f"{FILE} in a folder for each student, or files NAME.py")


def runs_in(place: Path) -> dict[str, list[Path]]:
    """Return each student's run folders: there should be one.

    `place` is a run folder, a student's folder, or a folder with a folder for each student. Raises
    `InputError` where there is nothing at all, or a run next to students' folders.
    """
    _check_folder(place)
    # a run folder itself, or a student's with its runs, as `npformer course train` makes them
    if (place / RUN_FILE).is_file() or (place / "runs").is_dir():
        own = place / RUN_FILE
        if not own.is_file():
            own = place / "runs"
        others = [file for file in _in_folders(place, RUN_FILE) if own not in file.parents]
        _check_one_student(place, own, others)
        return {safe_name(place.resolve().name): _runs(place)}
    found: dict[str, list[Path]] = {}
    for path in _entries(place):
        if path.is_dir():
            _add(found, path, _runs(path))
    return _checked(found, place, "a run folder in a folder for each student")


def the_only(paths: list[Path], what: str) -> tuple[Path | None, str]:
    """Return the only path, or the problem that there is another number of them."""
    if not paths:
        return None, f"there is no {what}"
    if len(paths) > 1:
        return None, f"there are {len(paths)} of {what}: {', '.join(map(str, paths))}"
    return paths[0], ""


def _runs(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.rglob(RUN_FILE))


def _check_folder(place: Path) -> None:
    if not place.exists():
        raise InputError(f"{place} does not exist: check the name and the folder")
    if not place.is_dir():
        raise InputError(f"{place} is not a folder: expected what the students handed in")


def _check_one_student(place: Path, own: Path, others: list[Path]) -> None:
    """Raise `InputError` where a folder is one student's by what is in it, but others' too."""
    if others:
        raise InputError(
            f"{own} makes {place} the folder of one student, but {others[0]} is there too: "
            f"move or rename {own.name}, or name the folder of one student"
        )


def _in_folders(place: Path, name: str) -> list[Path]:
    """Return the files of a name in the folders of a folder, at any depth."""
    return [file for path in _entries(place) if path.is_dir() for file in path.rglob(name)]


def _entries(place: Path) -> list[Path]:
    """Return what is in a folder, without hidden files."""
    return [path for path in sorted(place.iterdir()) if not path.name.startswith((".", "__"))]


def _add(found: dict[str, list[Path]], path: Path, own: list[Path]) -> None:
    """Add what a student handed in. Raises `InputError` for a second student of the same name."""
    uploaded, _ = student_of_upload(path.name, folder=path.is_dir())
    # the name of a folder has no ending: a dot is a part of it
    own_name = path.name if path.is_dir() else path.stem
    name = safe_name(uploaded or own_name)
    if name in found:
        raise InputError(f"two students in {path.parent} are called {name!r}: rename one of them")
    found[name] = own


def _checked(found: dict[str, list[Path]], place: Path, expected: str) -> dict[str, list[Path]]:
    if not any(found.values()):
        raise InputError(f"nothing to score in {place}: expected {expected}")
    return found
