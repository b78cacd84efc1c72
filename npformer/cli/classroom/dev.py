"""For those who write exercises: check that the key passes, that mistakes are caught and named, and more."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.lint import problems
from ...utils.errors import InputError
from ..options import sentence, whole_number
from .terminal import say

USAGE = "[options] check [ID ...]"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("what", choices=["check"], help="check exercises")
    parser.add_argument("ids", nargs="*", default=[], type=sentence, metavar="ID", help="exercises (default: all)")
    parser.add_argument("--seeds", type=whole_number(1), default=3, metavar="N", help="seeds to try (default 3)")


def run(options) -> int:
    """Print what is wrong; return 1 where anything is."""
    exercises = [course.load(id) for id in options.ids or course.ids()]
    if not exercises:
        raise InputError("there are no exercises")
    wrong = 0
    for exercise in exercises:
        found = {line: None for seed in range(options.seeds) for line in problems(exercise, seed)}
        wrong += len(found)
        say(f"{exercise.number:02} {exercise.id}: {len(found) or 'nothing'} to mend", "wrong" if found else "right")
        for line in found:
            say(f"    {line}")
    return 1 if wrong else 0
