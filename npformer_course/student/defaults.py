"""The defaults of a function that takes the place of another with the same arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType


def take_defaults(function: Callable, replaced: FunctionType) -> None:
    """Give a function the defaults of the one that it replaces.

    Arguments that have no default there keep their own. Arguments correspond by position.

    >>> def own(x, epsilon, axis=-1):
    ...     return epsilon, axis
    >>> def given(x, eps=0.1):
    ...     return eps
    >>> take_defaults(own, given)
    >>> own(2.0)
    (0.1, -1)
    """
    # the defaults of a decorated function are those of the function inside
    inner = inspect.unwrap(function)
    if isinstance(inner, FunctionType):
        defaults = _defaults_by_position(inner) | _defaults_by_position(replaced)
        positions = range(inner.__code__.co_argcount)
        inner.__defaults__ = tuple(defaults[i] for i in positions if i in defaults)


def _defaults_by_position(function: FunctionType) -> dict[int, object]:
    """Return the defaults of a function by the positions of its arguments."""
    values = function.__defaults__ or ()
    first = function.__code__.co_argcount - len(values)
    return dict(enumerate(values, first))
