"""Notebooks with what a learner writes: right or wrong lines in place of what is to be written.

A function of an exercise gets the lines of the exercise's solution. For everything else
answers/NN_name.py has ANSWERS, the right line by the line that it replaces, and WRONG, wrong lines
by the same lines or by names of functions. claims/NN_name.py is a cell that is run after the last:
what the text says of numbers, as asserts.
"""

import ast
import copy
import re
import runpy
import textwrap
from pathlib import Path

from npformer_course import course

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "notebooks"
EMPTY = "raise NotImplementedError"


def answers_to(name):
    """Return ANSWERS and WRONG of a notebook, both empty where it has no file."""
    path = HERE / "answers" / f"{name}.py"
    if not path.exists():
        return {}, {}
    defined = runpy.run_path(str(path))
    return defined["ANSWERS"], defined.get("WRONG", {})


def exercises_of(name):
    """Return the exercises that a notebook names, also where they belong to another one."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    ids = re.findall(r'\bexercise\("(\w+)"\)', text)
    return [course.load(id) for id in course.EXERCISES if id in ids]


def functions_to_write(notebook):
    """Return each function that a notebook leaves to be written: its cell's index and its node."""
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or EMPTY not in cell.source:
            continue
        for node in ast.parse(without_magic(cell.source)).body:
            if isinstance(node, ast.FunctionDef) and EMPTY in ast.unparse(node):
                found.append((index, node))
    return found


def without_magic(source):
    """Return the code of a cell without lines such as %matplotlib inline."""
    lines = ["" if line.startswith("%") else line for line in source.split("\n")]
    return "\n".join(lines)


def functions_of(code):
    """Return the functions of a module by name, as nodes."""
    return {node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}


def functions_asked(exercise):
    """Return the functions that an exercise leaves to be written, not those that it gives."""
    functions = functions_of(exercise.stub)
    return {name: node for name, node in functions.items() if EMPTY in ast.unparse(node)}


def written(notebook, name, wrong=()):
    """Return a notebook with everything written; where `wrong` has a name or a line, wrong."""
    notebook = copy.deepcopy(notebook)
    answers, wrongs = answers_to(name)
    lines = {**answers, **{line: wrongs[line] for line in wrong}}

    keys = {}  # by the stub: exercises of a notebook may ask for functions of the same name
    for exercise in exercises_of(name):
        for stub in functions_asked(exercise).values():
            keys[ast.unparse(stub)] = exercise.key
    # the last function of a cell first, so that the lines of the others stay where they are
    names = set()
    for index, node in reversed(functions_to_write(notebook)):
        cell = notebook.cells[index]
        names.add(node.name)
        code = wrongs[node.name] if node.name in wrong else keys[ast.unparse(node)]
        body = ast.get_source_segment(code, functions_of(code)[node.name])
        old = ast.get_source_segment(without_magic(cell.source), node)
        assert cell.source.count(old) == 1, node.name
        cell.source = cell.source.replace(old, body)

    for old, new in lines.items():
        if old in names:
            continue
        holding = [cell for cell in notebook.cells if old in cell.source.split("\n")]
        assert len(holding) == 1, f"{name}: {old!r} stands in {len(holding)} cells, expected 1"
        cell_lines = holding[0].source.split("\n")
        cell_lines[cell_lines.index(old)] = new
        holding[0].source = "\n".join(cell_lines)
    return notebook


def with_claims(notebook, name):
    """Return a notebook with its claims as the last cell, if it has some."""
    path = HERE / "claims" / f"{name}.py"
    if not path.exists():
        return notebook
    import nbformat  # of the extra notebooks

    notebook = copy.deepcopy(notebook)
    source = textwrap.dedent(path.read_text(encoding="utf-8"))
    notebook.cells.append(nbformat.v4.new_code_cell(source, id="claims"))
    return notebook
