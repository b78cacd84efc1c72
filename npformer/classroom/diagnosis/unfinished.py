"""Calls that reach a line which is not written yet, although other lines are."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..execution import Answer
from ..report import NOTHING, Finding


def unfinished(code: str, answers: Sequence[Answer]) -> Finding:
    """Say which line of a student's code still raises NotImplementedError, or calls a function that does.

    Nothing is said where that line is all of the function that was called.
    """
    stopped = next((answer for answer in answers if answer.state == "unattempted" and answer.frames), None)
    if stopped is None:
        return NOTHING
    *before, (name, line) = stopped.frames
    if not _is_whole_function(code, line):
        text = f"line {line} still raises NotImplementedError"
        return Finding("guard", "still raises", text, "Is what you wrote there whole, and does that line belong to it?")
    if before:
        text = f"line {before[-1][1]} calls {name}, which is not written yet"
        return Finding("guard", "calls what is not written", text)
    return NOTHING


def _is_whole_function(code: str, line: int) -> bool:
    """Tell whether a line is all that the function around it has, except texts such as a docstring."""
    functions = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    if not around:
        return False
    innermost = max(around, key=lambda node: node.lineno)
    return all(node.lineno == line or _is_text(node) for node in innermost.body)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
