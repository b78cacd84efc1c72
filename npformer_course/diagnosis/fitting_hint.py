"""The hint of an exercise that fits what is wrong."""

from __future__ import annotations

import ast
import re

from ..definition import Exercise
from ..report import Part

LONG = 4  # letters of a word that tells parts apart, such as "penalty", unlike "of"


def fitting_hint(exercise: Exercise, part: Part) -> int | None:
    """Return the index of the hint that is about a wrong part, or None where none is.

    It is the one with the most words of the part's name, and names of the code in what was found.
    """
    names = _names_of_code(exercise.key)
    words = _words(f"{part.finding.text} {part.finding.question}") & names
    for word in _words(part.name):
        if len(word) >= LONG or word in names:
            words.add(word)

    shared = [len(words & _words(hint)) for hint in exercise.hints]
    most = max(shared, default=0)
    return shared.index(most) if most else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _names_of_code(code: str) -> set[str]:
    """Return the names of functions, arguments and variables."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return names
