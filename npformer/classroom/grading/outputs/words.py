"""Numbers in words."""

from __future__ import annotations


def counted(n: float, what: str) -> str:
    """Return how many there are of what.

    >>> counted(1, "student"), counted(2, "student"), counted(0.5, "point")
    ('1 student', '2 students', '0.5 points')
    """
    return f"{n:g} {what}{'' if n == 1 else 's'}"
