"""Wrappers around the methods of single objects."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial


@contextmanager
def wrap_methods(methods: Iterable[tuple[object, str, Callable]]) -> Iterator[None]:
    """Inside a with block, call `note(method, *arguments)` in place of a layer's method.

    Only these instances change, and at the end of the block they are as before, also after an
    exception. Blocks may be nested.

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
    # its callbacks run in reverse order, so that a method that is wrapped twice comes back too
    with ExitStack() as stack:
        for layer, name, note in methods:
            # an instance has the method itself where an outer block has wrapped it
            if name in vars(layer):
                stack.callback(setattr, layer, name, vars(layer)[name])
            else:
                stack.callback(delattr, layer, name)
            setattr(layer, name, partial(note, getattr(layer, name)))
        yield
