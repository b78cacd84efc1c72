"""How a bug is written down, and how it is planted."""

import inspect
import re
import textwrap
from functools import partial
from typing import NamedTuple

from test_gradients import check_gradients

from npformer import InputError
from npformer_course.exercise import Edit


class Place(NamedTuple):
    """In the function `name` of a class or module, this edit."""

    owner: object
    name: str
    edit: Edit


class PlantedBug(NamedTuple):
    """A bug, and the ordinary test that must fail with it."""

    name: str
    test: partial
    edits: list[Place]


def bug(name, test, *edits):
    """Return a planted bug; each edit is (owner, name, right, wrong)."""
    return PlantedBug(
        name, test, [Place(owner, name, Edit(*texts)) for owner, name, *texts in edits]
    )


def called(test) -> str:
    """Return what a test is called with its arguments, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(test))


def gradients(case, entries=8):
    """Return the gradient check of a case, of a few entries of each array: a check of all also looks for the reason."""
    return partial(check_gradients, case, entries)


def _replace_code(source: str, edit: Edit) -> str:
    """Return the edited source, wherever its lines are wrapped. Raises `InputError` unless it has `right` once."""
    tokens = re.findall(r"\w+|\S", edit.right)
    pattern = r"\s*".join(re.escape(token) for token in tokens)
    pattern = re.sub(r"(\\[)\]}])", r",?\\s*\1", pattern)  # a wrapped call ends in a comma
    found = re.findall(pattern, source)
    if len(found) != 1:
        raise InputError(f"{edit.right!r} stands {len(found)} times in the source, expected once")
    return re.sub(pattern, lambda _: edit.wrong, source)


def plant(edits, monkeypatch):
    """Rewrite the functions that the edits name, until monkeypatch undoes it. Raises InputError where that fails."""
    sources = {}
    for owner, name, edit in edits:
        source = sources.get((owner, name)) or textwrap.dedent(inspect.getsource(vars(owner)[name]))
        try:
            sources[owner, name] = _replace_code(source, edit)
        except InputError as moved:
            raise InputError(f"{name}: {moved}; mend the table") from None
    for (owner, name), source in sources.items():
        made = {}
        enclosed = f"def enclose(__class__):\n{textwrap.indent(source, '    ')}\n    return {name}"  # for super()
        exec(enclosed, inspect.unwrap(vars(owner)[name]).__globals__, made)
        monkeypatch.setattr(owner, name, made["enclose"](owner))
