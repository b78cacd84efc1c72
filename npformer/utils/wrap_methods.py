"""Wrappers around the methods of single objects."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import RLock, get_ident
from typing import Any

# held by the thread whose block it is: the methods of a layer are wrapped for one thread at a time
_one_block = RLock()


@contextmanager
def wrap_methods(methods: Iterable[tuple[object, str, Callable]]) -> Iterator[None]:
    """Inside a with block, call `note(method, *arguments)` in place of a layer's method.

    Only these instances change, and at the end of the block they are as before, also after an
    exception. Blocks may be nested. Other threads call the methods as they are, and wait before
    blocks of their own.

    Arguments:
        methods: Each layer, the name of its method, and its note.

    >>> import numpy as np
    >>> from npformer.layers import ReLU
    >>> relu = ReLU()
    >>> with wrap_methods([(relu, "forward", lambda forward, x: forward(x) + 100)]):
    ...     relu.forward(np.array([5.0])).tolist()
    [105.0]
    >>> relu.forward(np.array([5.0])).tolist()
    [5.0]
    """
    this_thread = get_ident()

    def call(note: Callable, method: Callable, *arguments: Any, **settings: Any) -> Any:
        if get_ident() == this_thread:
            return note(method, *arguments, **settings)
        return method(*arguments, **settings)

    # its callbacks run in reverse order, so that a method that is wrapped twice comes back too
    with _one_block, ExitStack() as stack:
        for layer, name, note in methods:
            # an instance has the method itself where an outer block has wrapped it
            if name in vars(layer):
                stack.callback(setattr, layer, name, vars(layer)[name])
            else:
                stack.callback(delattr, layer, name)
            setattr(layer, name, partial(call, note, getattr(layer, name)))
        yield
