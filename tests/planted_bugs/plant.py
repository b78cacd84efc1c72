"""How a bug is written down, and how it is planted."""

import inspect
import textwrap
from functools import partial
from typing import NamedTuple

from test_gradients import check_gradients


class LineMoved(Exception):
    """A table of planted bugs no longer fits the code: no test has caught anything, and none has failed to."""


class Edit(NamedTuple):
    """In the function `name` of a class or module, write `wrong` where `right` stands."""

    owner: object
    name: str
    right: str
    wrong: str


class PlantedBug(NamedTuple):
    """A bug, and the ordinary test that must fail with it."""

    name: str
    test: partial
    edits: list[Edit]


def bug(name, test, *edits):
    """Return a planted bug; each edit is (owner, name, right, wrong)."""
    return PlantedBug(name, test, [Edit(*edit) for edit in edits])


def gradients(case, entries=None):
    """Return the gradient check of a case."""
    return partial(check_gradients, case, entries)


def plant(edits, monkeypatch):
    """Rewrite the functions that the edits name, until monkeypatch undoes it. Raises LineMoved where that fails."""
    sources = {}
    for owner, name, right, wrong in edits:
        source = sources.get((owner, name)) or textwrap.dedent(inspect.getsource(vars(owner)[name]))
        if source.count(right) != 1:
            raise LineMoved(f"{right!r} no longer stands once in {name}: look where it went, and mend the table")
        sources[owner, name] = source.replace(right, wrong)
    for (owner, name), source in sources.items():
        made = {}
        enclosed = f"def enclose(__class__):\n{textwrap.indent(source, '    ')}\n    return {name}"  # for super()
        exec(enclosed, inspect.unwrap(vars(owner)[name]).__globals__, made)
        monkeypatch.setattr(owner, name, made["enclose"](owner))
