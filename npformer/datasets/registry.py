"""The table of all data sets: every file beside this one that has `DATA_SETS`, so that a new one is a new file."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from ..utils.errors import InputError
from .data_set import DataSet


@cache
def table() -> dict[str, DataSet]:
    """Return all data sets by their names, those that our own code makes before the others.

    >>> list(table())[:3]
    ['phrasebook', 'dates', 'copy']
    """
    here = Path(__file__).parent
    beside = [
        f".{part}{found.name}"
        for part in ("", "synthetic.", "published.")
        for found in iter_modules([str(here / part.strip("."))])
        if not found.ispkg
    ]
    modules = [import_module(name, __package__) for name in beside]
    found = [data for module in modules for data in getattr(module, "DATA_SETS", ())]
    return {data.name: data for data in sorted(found, key=lambda data: not data.made)}


def find(name: str) -> DataSet:
    """Return the data set of a name. Raises `InputError`, which lists all names, for another."""
    if not isinstance(name, str) or name not in table():
        raise InputError(f"data set {name!r} is unknown: expected one of {', '.join(table())}")
    return table()[name]
