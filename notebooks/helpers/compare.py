"""A number of the reader's next to the one that the notebook had."""

from __future__ import annotations

import numpy as np


def compare(yours: float, ours: float, name: str, *, tolerance: float = 0.01) -> None:
    """Print a number next to the one that the text gives. It never raises an error.

    A reader who has changed a line sees what changed by it.

    Arguments:
        yours: what the notebook computed now
        ours: what it computed when the text was written
        name: what the number is
        tolerance: the difference, relative to `ours`, that is not worth a word, such as that
            between two machines

    >>> compare(0.42, 0.38, "loss")
    loss: you 0.42, here 0.38
    >>> compare(0.381, 0.38, "loss")
    loss: 0.38, as here
    >>> compare(np.array([0.42]), 0.38, "loss")
    loss: you 0.42, here 0.38
    >>> compare(float("nan"), 0.38, "loss")
    loss: you nan, here 0.38
    """
    try:
        number = np.asarray(yours).item()  # an array of one number too
        is_equal = bool(abs(number - ours) <= tolerance * abs(ours))
        text = _as_text(number)
    except (TypeError, ValueError):  # what was changed makes no number
        is_equal = False
        text = type(yours).__name__
    if is_equal:
        print(f"{name}: {_as_text(ours)}, as here")
    else:
        print(f"{name}: you {text}, here {_as_text(ours)}")


def _as_text(number: float) -> str:
    """Return a number with three digits, or without decimals where it is large.

    >>> _as_text(0.4242), _as_text(286272)
    ('0.424', '286,272')
    """
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"
