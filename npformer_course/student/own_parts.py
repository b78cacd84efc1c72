"""A learner's functions that are parts of their Transformer: from a folder, or by their names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from npformer.utils.errors import InputError

from .. import course
from ..definition import module_of
from ..format_report import Line
from ..sandbox.runner import Sandbox
from ..submission import code_of
from ..words import listed
from .folder import Folder
from .own_errors import ANSWER
from .progress import Progress
from .stand_ins import SOURCE, names_to_write, run_hidden
from .student_layers import MODEL_PARTS, TRANSLATING


def count_of_parts(progress: Progress) -> str:
    """Return how many parts of the model have passed, and which."""
    own = [id for id in MODEL_PARTS if progress[id].passed]
    text = f"{len(own)} of {len(MODEL_PARTS)} parts of your Transformer are yours"
    return f"{text}: {', '.join(own)}." if own else f"{text}."


def lines_about_parts(own: Collection[str], among: Collection[str]) -> Iterator[Line]:
    """Yield which parts of a model are the learner's, and which of the others npformer's."""
    yield Line("right", 0, f"Yours: {', '.join(own) or 'none yet'}.")
    others = [id for id in MODEL_PARTS if id in among and id not in own]
    if others:
        yield Line("plain", 0, f"npformer's in place of: {', '.join(others)}.")


def passing_parts(folder: Folder, among: Collection[str]) -> dict[str, Any]:
    """Return the parts of a folder that pass, among those with these ids, as modules.

    They run in this process and not in the sandbox, because a model calls them all the time.
    """
    sandbox = Sandbox()
    parts: dict[str, Any] = {}
    for id in MODEL_PARTS:
        if id in among and id in folder.files and folder.check(id, sandbox).passed:
            parts[id] = module_of(code_of(folder.files[id]), f"{ANSWER}{id}")
    return parts


def parts_of(functions: Sequence[Callable], named: Mapping[str, Callable]) -> dict[str, Any]:
    """Return functions as parts, by their own names and those that were given.

    The other functions of the same exercise are npformer's. A function that is npformer's, as
    `check` and `yours` return it, is left out. Raises `InputError` for one that a translation does
    not need.
    """
    by_name = {getattr(function, "__name__", repr(function)): function for function in functions}
    by_name.update(named)
    parts: dict[str, Any] = {}
    for name, function in by_name.items():
        id = _exercise_with(name)
        if getattr(function, "__module__", "") == SOURCE:
            continue
        if id not in parts:
            parts[id] = SimpleNamespace(**run_hidden(course.load(id).key))
        setattr(parts[id], name, function)
    return parts


def _exercise_with(name: str) -> str:
    """Return the exercise that asks for a function of this name."""
    known = []
    for id in MODEL_PARTS:
        if id not in TRANSLATING:
            continue
        names = names_to_write(course.load(id))
        if name in names:
            return id
        known += names
    raise InputError(
        f"{name} is not a part of the translator: expected some of {listed(known)}; "
        f"a function with another name is passed as in your_transformer({known[0]}=f)"
    )
