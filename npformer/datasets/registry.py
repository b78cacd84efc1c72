"""All data sets by their names."""

from __future__ import annotations

from ..utils.errors import InputError
from . import published, synthetic
from .data_set import DataSet

_DATA_SETS: dict[str, DataSet] = {}
for _data in (*synthetic.DATA_SETS, *published.DATA_SETS):
    _DATA_SETS[_data.name] = _data


def registry() -> dict[str, DataSet]:
    """Return all data sets by their names, npformer's own first.

    A new one can be added to the dictionary.

    >>> list(registry())[:3]
    ['phrasebook', 'dates', 'copy']
    """
    return _DATA_SETS


def get(name: str) -> DataSet:
    """Return the data set of a name. Raises `InputError`, which lists all names, for another."""
    if not isinstance(name, str) or name not in _DATA_SETS:
        raise InputError(f"data set {name!r} is unknown: expected one of {', '.join(_DATA_SETS)}")
    return _DATA_SETS[name]
