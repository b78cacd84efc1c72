"""A notebook's names as a module: what a student has defined there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import FunctionType
from typing import Any

from .stand_ins import students_own


class Namespace:
    """Names as a module.

    A missing name, or one that is None, raises NotImplementedError, which counts as "not written
    yet". Where npformer's function stands in for the student's, the name is that of the student's.
    The student's code is what was defined in `modules`; make the namespace before slow loops are
    closed.
    """

    __name__ = "answer"

    def __init__(self, names: Mapping[str, Any], modules: Collection[str] = ("__main__",)):
        self.names = names
        # the cells whose functions are here, by the names that a traceback gives them; noted at
        # once, because a slow loop that is closed while an answer runs has code of another file
        self.__files__ = _files_of(names, modules)

    def __getattr__(self, name: str) -> Any:
        value = students_own(self.names.get(name))
        if value is None:
            raise NotImplementedError(name)
        return value


def _files_of(names: Mapping[str, Any], modules: Collection[str]) -> set[str]:
    """Return the files of the functions and methods that were defined in some modules."""
    files = set()
    for value in names.values():
        value = students_own(value)
        functions = vars(value).values() if isinstance(value, type) else [value]
        for function in functions:
            if isinstance(function, FunctionType) and function.__module__ in modules:
                files.add(function.__code__.co_filename)
    return files
