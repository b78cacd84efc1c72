"""Handing out a choice of exercises: as a student's folder, as notebooks, or as the source of another program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ... import __version__
from ...base.errors import InputError
from ...base.files import make_folder, write_whole
from .. import course
from ..folder import start
from ..outputs.github import WORKFLOW, workflow
from ..outputs.gradescope import autograder_zip
from ..outputs.nbgrader import nbgrader_source
from .grading import SEED

KINDS = ("folder", "notebooks", "nbgrader", "github", "gradescope")


def release(
    out: Path, ids: Sequence[str], kind: str = "folder", *, name: str = "npformer", seed: int = SEED
) -> list[Path]:
    """Write what a class gets and return the files: nothing that is there already is written over.

    "folder" and "notebooks" are for students; "github" is a folder with the workflow that grades it; "nbgrader" is
    source/`name`/, in a course's folder; "gradescope" is autograder.zip, to be uploaded, beside the students' folder.
    Raises `InputError` for another kind, and where a file is there already.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of release: expected one of {', '.join(KINDS)}")
    if kind == "nbgrader":
        texts = {f"source/{name}/{course.paths()[id].stem}.ipynb": nbgrader_source(course.load(id), seed) for id in ids}
        return [written(out / path, text) for path, text in texts.items()]
    if kind == "gradescope":
        archive = written(out / "autograder.zip", autograder_zip(ids, seed, __version__))
        return [archive, *start(out / "students", ids)]
    files = start(out, ids, notebooks=kind == "notebooks")
    if kind == "github":
        files.append(written(out / WORKFLOW, workflow(ids, seed, __version__)))
    return files


def written(path: Path, content: bytes | str) -> Path:
    """Write a new file and return its path."""
    if path.exists():
        raise InputError(f"{path} is there already: name a new folder, or delete it")
    make_folder(path.parent)
    write_whole(path, content)
    return path
