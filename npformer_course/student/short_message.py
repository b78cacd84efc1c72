"""What a check in a notebook prints: one line, and a few more where something is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from npformer.utils.errors import InputError

from ..words import listed

RIGHT = "right"
WRONG = "wrong"
UNWRITTEN = "not written yet"
WIDEST = 88  # columns of a line; a notebook's page is not wider


def headline(states: Mapping[str, str], points: str = "") -> str:
    """Return the state of each function or array, and which of them npformer's replace.

    >>> headline({"dx": RIGHT})
    'dx: right'
    >>> headline({"dx": RIGHT, "dgain": WRONG}, "6 of 8 points")
    "dx: right, dgain: wrong, 6 of 8 points; the notebook continues with npformer's dgain"
    """
    said = [f"{name}: {state}" for name, state in states.items()]
    if points:
        said.append(points)
    text = textwrap.fill(", ".join(said), WIDEST, subsequent_indent="  ")

    replaced = [name for name, state in states.items() if state != RIGHT]
    if not replaced:
        return text
    continues = f"the notebook continues with npformer's {listed(replaced)}"
    if len(f"{text}; {continues}") <= WIDEST:
        return f"{text}; {continues}"
    return f"{text};\n  {continues}"


class OneLineError(InputError):
    """Input that cannot be used, which a notebook shows as one line, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{InputError.__name__}: {self}"]


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an `InputError` in a with block, or in a function that this decorates, into one line."""
    try:
        yield
    except InputError as error:
        raise OneLineError(str(error)) from None
