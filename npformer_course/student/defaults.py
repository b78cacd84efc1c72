"""The defaults of a function that takes the place of another with the same arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any


def take_defaults(function: Callable, replaced: Callable) -> None:
    """Give a function the defaults of the one that it replaces; elsewhere it keeps its own.

    >>> def own(x, eps=1e-5, axis=-1):
    ...     return eps, axis
    >>> def given(x, eps=0.1):
    ...     return eps
    >>> take_defaults(own, given)
    >>> own(2.0)
    (0.1, -1)
    """
    # what a decorator returns calls the function below it
    inner = inspect.unwrap(function)
    if not isinstance(inner, FunctionType):
        return
    defaults = _defaults_of(inner) | _defaults_of(replaced)
    inner.__defaults__ = tuple(defaults[name] for name in _arguments_of(inner) if name in defaults)


def _defaults_of(function: Any) -> dict[str, Any]:
    """Return the defaults of a function by argument."""
    values = function.__defaults__ or ()
    names = _arguments_of(function)
    return dict(zip(names[len(names) - len(values) :], values, strict=True))


def _arguments_of(function: Any) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]
