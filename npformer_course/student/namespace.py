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
    The student's code is what was defined in `modules`.
    """

    __name__ = "answer"

    def __init__(self, names: Mapping[str, Any], modules: Collection[str] = ("__main__",)):
        self.names = names
        self.modules = modules

    @property
    def __files__(self) -> set[str]:
        """The cells whose functions are here, by the names that a traceback gives them."""
        files = set()
        for value in self.names.values():
            value = students_own(value)
            functions = vars(value).values() if isinstance(value, type) else [value]
            for function in functions:
                if isinstance(function, FunctionType) and function.__module__ in self.modules:
                    files.add(function.__code__.co_filename)
        return files

    def __getattr__(self, name: str) -> Any:
        value = students_own(self.names.get(name))
        if value is None:
            raise NotImplementedError(name)
        return value
