"""The names that the student's functions have for the drawn inputs."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from .execution import copied
from .exercise import Call, module_of


def arguments(key: str, call: Call, inputs: Mapping[str, object]) -> dict[str, str]:
    """Return for the inputs of a call the names of its functions' arguments: x, or state['m'][0].

    The right solution runs once under a profiler, which sees the arguments of each function. A part of an input has the
    name of the whole with an ellipsis: gradients[0][...].
    """
    module = module_of(key)
    given = {name: copied(inputs[name]) for name in call.inputs}
    found: dict[str, str] = {}

    def watch(frame: types.FrameType, event: str, _argument: object) -> None:
        code, before = frame.f_code, frame.f_back
        own = frame.f_globals is module.__dict__
        if event != "call" or not own or before is None or before.f_globals is module.__dict__:
            return
        for argument in code.co_varnames[: code.co_argcount]:
            for name, path in _handed(frame.f_locals.get(argument), argument, given):
                found.setdefault(name, path)

    known = sys.getprofile()
    with np.errstate(all="ignore"):
        sys.setprofile(watch)
        try:
            call.run(module, **given)
        finally:
            sys.setprofile(known)
    return found


def _handed(value: object, path: str, given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the inputs that a value is or holds, and where."""
    if isinstance(value, dict | list | tuple):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for name, x in given.items():
            if x is value:
                yield name, path
        for key, entry in entries:
            yield from _handed(entry, f"{path}[{key!r}]", given)
    for name, x in given.items():
        if isinstance(value, np.ndarray) and isinstance(x, np.ndarray) and np.shares_memory(value, x):
            yield name, path if value is x else f"{path}[...]"
        elif isinstance(value, int | float) and type(value) is type(x) and value == x:
            if sum(type(other) is type(x) and other == x for other in given.values()) == 1:
                yield name, path


def shown(inputs: Iterable[str], names: Mapping[str, str], text: str) -> dict[str, str]:
    """Return the names of the inputs that a student knows: as arguments, one each, or as words of the text.

    >>> shown(["x_heads", "w", "dy", "seed"], {"x_heads": "x", "dy": "dy[...]"}, "dy and w")
    {'x_heads': 'x', 'w': 'w', 'dy': 'dy'}
    """
    whole = {name: path for name, path in names.items() if not path.endswith("[...]")}
    called = {name: whole.get(name, name) for name in inputs}
    taken = list(called.values())
    found = {name: own if taken.count(own) == 1 else name for name, own in called.items()}
    return {name: own for name, own in found.items() if own in whole.values() or re.search(rf"\b{name}\b", text)}
