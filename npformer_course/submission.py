"""Submissions: the code of a .py or .ipynb file, and the letter of the prediction."""

from __future__ import annotations

import re
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import read_json, read_text

from . import course

# where a folder holds both, the first counts: `npformer course start` writes .py by default
SUFFIXES = (".py", ".ipynb")
# what begins a line that is for Jupyter alone, or that only asks for a check
COMMAND = re.compile(
    r"""
    %%?[a-zA-Z]          # %matplotlib inline
    | !(?!=)             # !ls, but not the rest of an expression, != 1
    | \?                 # ?np.exp
    | [\w.]+\?{1,2}\s*$  # np.exp? and np.exp??
    | exercise\(.*\)\s*$  # exercise("softmax").check()
    """,
    re.VERBOSE,
)
# cells that these begin are Python; all other %% begin a cell of another language
OF_PYTHON = re.compile(r"%%(time|timeit|capture|prun)\b")
TIMED = "%time "
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


def code_of(path: Path) -> str:
    """Return the code of an answer.

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
            sources.append(_without_commands("".join(lines)))
    return "\n\n".join(sources) + "\n"


def _without_commands(source: str) -> str:
    r"""Return the code of a cell without Jupyter's commands and calls that ask for a check.

    Such a line begins at the margin, and a cell of another language with %% and its name. A line
    that begins so further in continues an expression, and so does one that begins with !=. What
    %time measures stays.

    >>> _without_commands("%matplotlib inline\nx = (y\n% 2\n!= 1)\nexercise('softmax').check()")
    '\nx = (y\n% 2\n!= 1)\n'
    >>> _without_commands("%%time\nx = 1"), _without_commands("%%html\n<b>x</b>")
    ('\nx = 1', '')
    """
    opening, _, rest = source.partition("\n")
    if opening.startswith("%%"):
        return f"\n{rest}" if OF_PYTHON.match(opening) else ""

    lines = source.split("\n")
    for index, line in enumerate(lines):
        if line.startswith(TIMED):  # %time y = softmax(x) makes y
            lines[index] = line.removeprefix(TIMED)
        elif COMMAND.match(line):
            lines[index] = ""  # not deleted, so that the others keep their numbers
    return "\n".join(lines)


def prediction_of(code: str) -> str:
    r"""Return the letter that `prediction` was set to last, or nothing.

    >>> prediction_of('prediction = ""\nprediction: str = "b"')
    'b'
    """
    # by text, because the code may not be Python; the last one counts, as when Python runs it
    letter = ""
    for match in PREDICTED.finditer(code):
        letter = match["letter"].lower()
    return letter
