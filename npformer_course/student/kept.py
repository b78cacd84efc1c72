"""What a learner writes in a notebook, kept for the notebooks that come later."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, read_text, write_atomic

from .. import course
from ..definition import Exercise, module_of
from ..files import student_text
from ..percent_format import definitions_in, lines_of
from .defaults import take_defaults
from .folder import arguments_of
from .function_check import FunctionCheck
from .progress import Progress
from .short_message import RIGHT, one_line_errors
from .stand_ins import names_to_write, stand_in

FOLDER = Path("my-transformer")  # next to the notebooks


def keep(exercise: Exercise, functions: Mapping[str, Callable]) -> Path:
    """Write functions into the learner's file of an exercise; return its path.

    The folder is one that `npformer course` knows. An exercise whose functions are all kept is
    noted there as passed. Raises `InputError` for a function that is wrong by itself, because it
    uses what another cell defines.
    """
    path = FOLDER / f"{course.stem(exercise.id)}.py"
    text = student_text(exercise)
    if path.exists():
        text = read_text(path)
        _loaded_file(path, text)  # before it is changed, because a learner may have edited it
    for name, function in functions.items():
        text = _with_definition(text, name, _source_of(function, name))

    module = _loaded(text, "by itself it", "it may use nothing of other cells")
    alone = [getattr(module, name) for name in functions]
    if set(FunctionCheck(exercise, alone, {}).states.values()) != {RIGHT}:
        raise InputError("by itself it is wrong: what it uses must be defined inside it")

    progress = Progress(FOLDER)  # before a file changes: a progress of another form is refused
    make_folder(FOLDER)
    write_atomic(path, text)
    progress.write()
    whole = FunctionCheck(exercise, [], _written(exercise, text, module))
    if whole.report.passed:
        progress.note(whole.report)
    return path


def _loaded(text: str, what: str, advice: str) -> ModuleType:
    """Return a text as a module. Raises `InputError` where it cannot be loaded."""
    try:
        return module_of(text)
    except (Exception, SystemExit) as error:  # a learner's text may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"{what} cannot be loaded, {reason}: {advice}") from None


def _loaded_file(path: Path, text: str) -> ModuleType:
    """Return a kept file, which may have been edited, as a module."""
    return _loaded(text, path.as_posix(), "repair it, or delete it")


def _source_of(written: Callable, name: str) -> str:
    """Return the text of a function or class that is defined under a name."""
    word = "class" if isinstance(written, type) else "def"
    try:
        if isinstance(written, type):
            source = _text_of_class(written)
        else:
            source = textwrap.dedent(inspect.getsource(written))
        [node] = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        raise InputError(f"it has no text of its own: define it by `{word}` in a cell") from None
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name != name:
        raise InputError(f"define it by `{word} {name}`")
    return source.rstrip("\n")


def _text_of_class(written: type) -> str:
    """Return the text of a class, also where inspect has none: it knows no class of a notebook."""
    for method in vars(written).values():
        if isinstance(method, FunctionType):
            cell = inspect.findsource(method)[0]
            line = method.__code__.co_firstlineno
            for node in definitions_in("".join(cell)):
                if node.lineno <= line <= (node.end_lineno or 0):
                    return "".join(cell[lines_of(node)])
    raise OSError


def _with_definition(text: str, name: str, source: str) -> str:
    """Return a file's text with another function or class under a name."""
    for node in definitions_in(text):
        if node.name == name:
            lines = text.split("\n")
            lines[lines_of(node)] = source.split("\n")
            return "\n".join(lines)
    return f"{text}\n\n{source}\n"


@one_line_errors()
def yours(id: str) -> Any:
    """Return the functions of an exercise: the learner's, as kept, and npformer's for the others.

    Where a function of the learner calls one that the exercise gives, and the learner wrote that
    one earlier, it calls theirs. Prints which are whose. Of several functions the result is a
    tuple, in the order of the exercise. Raises `InputError` for another id.
    """
    exercise = course.load(id)
    kept = _kept_functions(exercise)
    functions = []
    for name in names_to_write(exercise):
        whose = "yours" if name in kept else "npformer's"
        print(f"{name}: {whose}")
        # npformer's is marked, so that no check takes it for the learner's
        functions.append(kept.get(name) or stand_in(exercise, name, None))
    return functions[0] if len(functions) == 1 else tuple(functions)


def _kept_functions(exercise: Exercise) -> dict[str, Callable]:
    """Return the functions of an exercise's file that are written."""
    path = FOLDER / f"{course.stem(exercise.id)}.py"
    if not path.exists():
        return {}
    text = read_text(path)
    module = _loaded_file(path, text)
    _replace_given(exercise, module)
    return _written(exercise, text, module)


def _written(exercise: Exercise, text: str, module: ModuleType) -> dict[str, Callable]:
    """Return the functions of an exercise that are written in a file, by its text and module."""
    unwritten = set()
    for node in definitions_in(text):
        if _is_unwritten(node):
            unwritten.add(node.name)

    written = {}
    for name in names_to_write(exercise):
        if hasattr(module, name) and name not in unwritten:
            written[name] = getattr(module, name)
    return written


def _is_unwritten(definition: ast.FunctionDef | ast.ClassDef) -> bool:
    """Return whether a function, or a method of a class, ends as the exercise gives it."""
    # at its end, because a right answer may raise NotImplementedError in a branch
    ends = [node.body[-1] for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    return any(ast.unparse(end).startswith("raise NotImplementedError") for end in ends)


def _replace_given(exercise: Exercise, module: ModuleType) -> None:
    """Replace what an exercise gives by kept functions with the same name and arguments."""
    given = arguments_of(exercise, to_write=False)
    for id in course.EXERCISES[: course.EXERCISES.index(exercise.id)]:
        earlier = course.load(id)
        asked = arguments_of(earlier, to_write=True)
        same = [name for name in given if given[name] == asked.get(name)]
        if not same:
            continue
        kept = _kept_functions(earlier)
        for name in same:
            if name in kept:
                # a given function may have a default where the exercise asks for none
                take_defaults(kept[name], getattr(module, name))
                setattr(module, name, kept[name])
