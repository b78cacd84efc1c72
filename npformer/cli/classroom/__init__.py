"""Exercises: write the Transformer yourself, one after the other."""

from . import check, collect, grade, hint, list, release, reset, solution, start, train, watch, why

__all__ = ["VERBS"]

VERBS = {
    "start": start,
    "watch": watch,
    "check": check,
    "hint": hint,
    "why": why,
    "solution": solution,
    "list": list,
    "reset": reset,
    "train": train,
    "release": release,
    "collect": collect,
    "grade": grade,
}
