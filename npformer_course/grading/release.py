"""Release of a set of exercises: a student's folder, notebooks, or the source of another program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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

    "folder" and "notebooks" are for students; "nbgrader" is source/`name`/, in a course's folder; "gradescope" is
    autograder.zip, to upload, and the students' folder. "site" is for a web space: `name` is its title, Pyodide is
    copied from `offline`. nbgrader and Gradescope grade at `seed`; where Gradescope fetches npformer, pip gets
    `install`. Raises `InputError` where a file is there already.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} is not a kind of release: expected one of {', '.join(KINDS)}")
    if kind == "site":
        return write_class_site(out, ids, title=name, offline=Path(offline) if offline else None)
    extra: dict[Path, bytes | str] = {}
    if kind == "nbgrader":
        folder = out / "source" / name
        extra = {
            folder / f"{course.stem(id)}.ipynb": nbgrader_source(course.load(id), seed)
            for id in ids
        }
    elif kind == "gradescope":
        extra = {out / "autograder.zip": autograder_zip(ids, seed, install)}
    if existing := [path for path in extra if path.exists()]:
        raise InputError(f"{existing[0]} exists already: name a new folder, or delete it")
    files = []
    if kind != "nbgrader":
        files = start(
            out / "students" if kind == "gradescope" else out, ids, notebooks=kind == "notebooks"
        )
    for path, content in extra.items():
        make_folder(path.parent)
        write_atomic(path, content)
    return [*files, *extra]
