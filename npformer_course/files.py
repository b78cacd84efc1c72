"""The files of an exercise: one to write in, the key, and notebooks."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import replace

from .definition import Exercise
from .percent_format import BEGIN, END, Cell, as_text, without_marks, without_solution

WIDTH = 100  # columns
Metadata = Callable[[int, Cell], dict]  # of a cell, by its index


def cells_of(exercise: Exercise) -> list[Cell]:
    """Return the cells of an exercise with its solution.

    Under the heading they have the line of facts, and before the first cell to write in the
    prediction.
    """
    first, *rest = exercise.cells
    cells = [_with_facts(first, exercise), *rest]

    # the prediction comes before the text of the first cell to write in
    to_write = 0
    while BEGIN not in cells[to_write].text:
        to_write += 1
    while to_write > 0 and cells[to_write - 1].markdown:  # the text about it stays next to it
        to_write -= 1
    return [*cells[:to_write], *_prediction_cells(exercise), *cells[to_write:]]


def _with_facts(cell: Cell, exercise: Exercise) -> Cell:
    """Return the first cell with the number in its heading and the facts under it."""
    facts = (
        f"{exercise.points} points, about {exercise.minutes} minutes, "
        f"difficulty {exercise.difficulty} of 5, importance {exercise.importance} of 5."
    )
    if exercise.needs:
        facts += f" Before this one: {', '.join(exercise.needs)}."
    facts += f" Notebook {exercise.number:02} explains it."

    # one # for the comment of a Python file, and one for a heading of Markdown
    lines = [f"# # {exercise.number:02} {exercise.title}", "#"]
    lines += [f"# {line}" for line in textwrap.wrap(f"*{facts}*", WIDTH)]
    heading = f"# # {exercise.title}"
    return replace(cell, text=cell.text.replace(heading, "\n".join(lines), 1))


def _prediction_cells(exercise: Exercise) -> list[Cell]:
    """Return the question to be answered before writing."""
    prediction = exercise.prediction
    lines = ["## Predict first", "", *textwrap.wrap(prediction.question, WIDTH), ""]
    lines += [f"- {key}: {text}" for key, text in prediction.choices.items()]
    prose = "\n".join(f"# {line}".rstrip() for line in lines)
    letters = " or ".join(f'"{key}"' for key in prediction.choices)
    return [Cell(prose, markdown=True), Cell(f'prediction = ""  # {letters}; it costs no points')]


def student_text(exercise: Exercise) -> str:
    """Return the file that a student gets."""
    return without_solution(as_text(cells_of(exercise)))


def _no_metadata(index: int, cell: Cell) -> dict:
    return {}


def notebook(cells: list[Cell], *, metadata: Metadata = _no_metadata) -> str:
    """Return cells as a Jupyter notebook; `metadata(index, cell)` gives what a cell notes."""
    notebook_cells = []
    for index, cell in enumerate(cells):
        notebook_cells.append(_notebook_cell(index, cell, metadata(index, cell)))
    content = {
        "cells": notebook_cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    # indented as Jupyter does it
    return json.dumps(content, indent=1, ensure_ascii=False)


def _notebook_cell(index: int, cell: Cell, metadata: dict) -> dict:
    """Return one cell as Jupyter writes it."""
    lines = cell.text.split("\n")
    # the id is not random: the same exercise gives the same bytes, by which reset recognizes a
    # notebook that the student has not touched
    content: dict[str, object] = {
        "cell_type": "markdown" if cell.markdown else "code",
        "id": f"cell-{index:02}",
        "metadata": metadata,
    }
    if cell.markdown:  # prose is in comments in a Python file
        lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
    else:
        content["execution_count"] = None
        content["outputs"] = []
    # as Jupyter does: all lines but the last keep their ends
    content["source"] = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    return content


def student_notebook(exercise: Exercise) -> str:
    """Return the notebook that a student gets.

    It has the file's cells, and below each cell to write in one that checks it.
    """
    cells = []
    for cell in cells_of(exercise):
        cells.append(Cell(without_solution(cell.text), cell.markdown))
        if BEGIN in cell.text:
            cells += check_cells(exercise)
    return notebook(cells)


def check_cells(exercise: Exercise) -> list[Cell]:
    """Return the cells that check an exercise."""
    asks = f'from npformer_course import exercise\n\nexercise("{exercise.id}").check()'
    more = "# then, if you like: .hint(), .why(), and once it passes .solution()"
    return [Cell(f"{asks}\n{more}")]


def solution_text(exercise: Exercise) -> str:
    """Return the cells to write in, with the solution."""
    cells = []
    for cell in exercise.cells:
        if BEGIN in cell.text and END in cell.text:
            cells.append(without_marks(cell.text))
    return "\n\n\n".join(cells) + "\n"
