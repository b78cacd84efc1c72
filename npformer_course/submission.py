"""Submissions: the code of a .py or .ipynb file, and the letter of the prediction."""

from __future__ import annotations

import re
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import read_json, read_text

from . import course
from .definition import Code
from .jupyter_syntax import without_indent_and_prompts, without_other_languages

# where a folder holds both, the first counts: `npformer course start` writes .py by default
SUFFIXES = (".py", ".ipynb")
PREDICTED = re.compile(
    r"""
    ^prediction\ *
    (:[^=\n]*)?                               # an annotation, as in  prediction: str = "b"
    =\ *(?P<mark>["'])(?P<letter>\w*)(?P=mark)  # the letter between quotes of one kind
    """,
    re.VERBOSE | re.MULTILINE,
)


def answer_in(folder: Path, id: str) -> Path | None:
    """Return the file in a folder that answers an exercise, or None."""
    for suffix in SUFFIXES:
        path = folder / f"{course.stem(id)}{suffix}"
        if path.is_file():
            return path
    return None


def code_of(path: Path) -> Code:
    """Return the code of an answer: the text of a .py file, or the code cells of a notebook.

    Raises `InputError` where the file cannot be read or is not a notebook.
    """
    if path.suffix != ".ipynb":
        return read_text(path)
    cells = read_json(path).get("cells")
    if not isinstance(cells, list):
        raise InputError(f"{path} is no notebook: expected an object with cells")

    # the cells are a student's file: any of them may have been changed by hand
    sources = []
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            # Jupyter writes a list of lines; the format allows one text too
            source = cell.get("source", "")
            lines = source if isinstance(source, list) else [source]
            if not all(isinstance(line, str) for line in lines):
                raise InputError(
                    f"{path} is no notebook: expected the source of each cell as text, "
                    "or as lines of it"
                )
            sources.append(without_other_languages(without_indent_and_prompts("".join(lines))))
    return tuple(sources)


def text_of(code: Code) -> str:
    """Return the code of an answer as one text."""
    return code if isinstance(code, str) else "\n\n".join(code) + "\n"


def prediction_of(code: Code) -> str:
    r"""Return the letter that `prediction` was set to last, or nothing.

    >>> prediction_of('prediction = ""\nprediction: str = "b"')
    'b'
    """
    # by text, because the code may not be Python; the last one counts, as when Python runs it
    letter = ""
    for match in PREDICTED.finditer(text_of(code)):
        letter = match["letter"].lower()
    return letter
