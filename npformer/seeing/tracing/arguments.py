"""The names of what a layer takes in."""

import inspect
from collections import namedtuple
from collections.abc import Sequence


def named_arguments(function, args: tuple, kwargs: dict) -> dict:
    """Return the arguments of a call by name, in the order of the function's own; `function` has a self, `args` none.

    What *rest took comes as rest_0, rest_1, ... Arguments that do not fit come as input_0, input_1, ...

    >>> def forward(self, x, memory, *context, mask=None): pass
    >>> named_arguments(forward, (1, 2, 3), {"mask": 4})
    {'x': 1, 'memory': 2, 'context_0': 3, 'mask': 4}
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(None, *args, **kwargs)
    except TypeError:
        return {f"input_{i}": value for i, value in enumerate(args)} | kwargs
    bound.apply_defaults()
    found = {}
    for name, value in list(bound.arguments.items())[1:]:
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found |= {f"{name}_{i}": part for i, part in enumerate(value)}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found |= value
        else:
            found[name] = value
    return found


def argument_names(function) -> list[str]:
    """Return the names of a function's arguments without self."""
    return list(inspect.signature(function).parameters)[1:]


def named_gradients(names: Sequence[str], returned) -> tuple:
    """Return the gradients of the inputs as a named tuple: that of x is dx. `returned` is what backward returned.

    >>> named_gradients(["x", "memory", "mask"], (1.0, 2.0))
    Gradients(dx=1.0, dmemory=2.0)
    """
    returned = returned if isinstance(returned, tuple) else (returned,)
    names = [*names, *(f"input_{i}" for i in range(len(names), len(returned)))][: len(returned)]
    return named("Gradients", {f"d{name}": gradient for name, gradient in zip(names, returned, strict=True)})


def named(kind: str, values: dict) -> tuple:
    """Return values as a named tuple."""
    return namedtuple(kind, values, rename=True)(*values.values())
