"""Release of a set of exercises: a student's folder, notebooks, or what another program takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from npformer import __version__
from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, write_atomic

from .. import course
from ..in_browser.hand_in import write_class_site
from ..student.folder import start
from .grade_class import SEED
from .outputs.gradescope import autograder_zip
from .outputs.nbgrader_source import nbgrader_source

KINDS = ("folder", "notebooks", "nbgrader", "gradescope", "site")


def release(
    out: Path,
    ids: Sequence[str],
    kind: str = "folder",
    *,
    name: str = "npformer",
    seed: int = SEED,
    install: str = f"npformer=={__version__}",
    offline: str | None = None,
) -> list[Path]:
    """Write the files for a class and return them; nothing is overwritten.

    Arguments:
        out: the folder to write
        ids: the exercises
        kind: "folder" and "notebooks" are for students; "nbgrader" is source/`name`/, in a course's
            folder; "gradescope" is autograder.zip, to upload, and the students' folder; "site" is
            for a web space
        name: of nbgrader's assignment, or the title of a site
        seed: at which nbgrader and Gradescope grade
        install: what pip gets where Gradescope fetches npformer
        offline: a folder from which a site copies Pyodide

    Raises `InputError` where a file exists already.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} is not a kind of release: expected one of {', '.join(KINDS)}")
    if kind == "site":
        pyodide = Path(offline) if offline else None
        return write_class_site(out, ids, title=name, offline=pyodide)

    # all contents are made, and all names are looked at, before anything is written
    extra: dict[Path, bytes | str] = {}
    if kind == "nbgrader":
        folder = _folder_of_assignment(out, name)
        for id in ids:
            path = folder / f"{course.stem(id)}.ipynb"
            extra[path] = nbgrader_source(course.load(id), seed)
    elif kind == "gradescope":
        extra[out / "autograder.zip"] = autograder_zip(ids, seed, install)
    for path in extra:
        if path.exists():
            raise InputError(f"{path} exists already: name a new folder, or delete it")

    files = []
    if kind != "nbgrader":
        students = out / "students" if kind == "gradescope" else out
        files = start(students, ids, notebooks=kind == "notebooks")
    for path, content in extra.items():
        make_folder(path.parent)
        write_atomic(path, content)
    return [*files, *extra]


def _folder_of_assignment(out: Path, name: str) -> Path:
    """Return nbgrader's folder. Raises `InputError` where it would be outside of `out`."""
    if PurePath(name).name != name or name in ("", ".."):
        raise InputError(f"{name!r} is not a name of a folder: expected one without / in it")
    return out / "source" / name
