"""Numbers and lists in words."""

from collections.abc import Sequence


def counted(n: float, what: str) -> str:
    """Return a number and what it counts.

    >>> counted(1, "student"), counted(2, "student"), counted(0.5, "point")
    ('1 student', '2 students', '0.5 points')
    """
    return f"{n:g} {what}" if n == 1 else f"{n:g} {what}s"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names with commas between them, and a word before the last.

    >>> listed(["dx"]), listed(["dx", "dgain", "dbias"]), listed(["dx", "dgain"], "or")
    ('dx', 'dx, dgain and dbias', 'dx or dgain')
    """
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
