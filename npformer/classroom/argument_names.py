"""Under which names the student's functions get what was drawn: an exercise's own names never come before a student."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from .execution import copied
from .exercise import Call, module_of


def arguments(key: str, call: Call, inputs: Mapping[str, object]) -> dict[str, str]:
    """Return for the inputs of a call what its functions call them, as far as they get them: x, or state['m'][0].

    The right solution runs once, and is watched for what each of its functions is handed from outside. A part of an
    input goes by the name of the whole with an ellipsis: gradients[0][...].
    """
    module = module_of(key)
    wanted = call.run.__code__.co_varnames[1 : call.run.__code__.co_argcount]
    given = {name: copied(inputs[name]) for name in wanted}
    found: dict[str, str] = {}

    def watch(frame: types.FrameType, event: str, _argument: object) -> None:
        code, before = frame.f_code, frame.f_back
        own = frame.f_globals is module.__dict__
        if event != "call" or not own or before is None or before.f_globals is module.__dict__:
            return
        for argument in code.co_varnames[: code.co_argcount]:
            for name, path in handed(frame.f_locals.get(argument), argument, given):
                found.setdefault(name, path)

    known = sys.getprofile()
    with np.errstate(all="ignore"):
        sys.setprofile(watch)
        try:
            call.run(module, **given)
        finally:
            sys.setprofile(known)
    return found


def handed(value: object, path: str, given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield which inputs a value is, or holds, and where."""
    if isinstance(value, dict | list | tuple):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for name, x in given.items():
            if x is value:
                yield name, path
        for key, entry in entries:
            yield from handed(entry, f"{path}[{key!r}]", given)
    for name, x in given.items():
        if isinstance(value, np.ndarray) and isinstance(x, np.ndarray) and np.shares_memory(value, x):
            yield name, path if value is x else f"{path}[...]"
        elif isinstance(value, int | float) and type(value) is type(x) and value == x:
            if sum(type(other) is type(x) and other == x for other in given.values()) == 1:
                yield name, path


def shown(inputs: Iterable[str], names: Mapping[str, str], text: str) -> dict[str, str]:
    """Return which inputs a student knows, and by which names: as arguments, one each, or as words of the text.

    >>> shown(["x_heads", "w", "dy", "seed"], {"x_heads": "x", "dy": "dy[...]"}, "dy and w")
    {'x_heads': 'x', 'w': 'w', 'dy': 'dy'}
    """
    whole = {name: path for name, path in names.items() if not path.endswith("[...]")}
    called = {name: whole.get(name, name) for name in inputs}
    taken = list(called.values())
    found = {name: own if taken.count(own) == 1 else name for name, own in called.items()}
    return {name: own for name, own in found.items() if own in whole.values() or re.search(rf"\b{name}\b", text)}
