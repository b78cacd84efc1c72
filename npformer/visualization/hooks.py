"""Calling something else in place of a layer's forward or backward, for a while."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import get_ident
from types import MethodType

from ..module import Module


@contextmanager
def wrapped(methods: Iterable[tuple[Module, str, Callable]]) -> Iterator[None]:
    """Inside a with block, call `note(plain, *arguments)` in place of a layer's method, which `plain` is.

    `methods` are (layer, name of the method, note). Only these instances are touched, in this thread alone, and
    afterwards they are as they were, also after an exception. Blocks may be nested: the inner note's `plain` is then
    the outer one's note.

    >>> import numpy as np
    >>> from npformer.layers import ReLU
    >>> relu = ReLU()
    >>> with wrapped([(relu, "forward", lambda plain, x: plain(x) + 100)]):
    ...     relu.forward(np.array([5.0])).tolist()
    [105.0]
    >>> relu.forward(np.array([5.0])).tolist()
    [5.0]
    """
    before = []
    try:
        for layer, name, note in methods:
            before.append((layer, name, vars(layer).get(name)))
            setattr(layer, name, MethodType(noting(layer, name, note), layer))
        yield
    finally:
        for layer, name, own in reversed(before):
            if own is None:
                vars(layer).pop(name, None)
            else:
                setattr(layer, name, own)


def noting(layer: Module, name: str, note: Callable) -> Callable:
    """Return the function that stands in for a method; in a deep copy, or another thread, it is the method itself."""
    plain, opened_by = getattr(layer, name), get_ident()

    def method(self, *args, **kwargs):
        if self is not layer:
            return getattr(type(self), name)(self, *args, **kwargs)
        if get_ident() != opened_by:
            return plain(*args, **kwargs)
        return note(plain, *args, **kwargs)

    return method
