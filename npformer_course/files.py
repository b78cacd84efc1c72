"""The files of an exercise: one to write in, the key, and notebooks."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable

from .exercise import Exercise
from .percent_format import BEGIN, END, Cell, as_text, without_marks, without_solution

WIDTH = 110
LEVELS = {1: "easy", 2: "needs thought", 3: "hard"}


def cells_of(exercise: Exercise) -> list[Cell]:
    """Return the cells of an exercise with its solution, the line of facts under the heading, and the prediction."""
    first, *rest = exercise.cells
    cells = [_with_facts(first, exercise), *rest]
    to_write = next(i for i, cell in enumerate(cells) if BEGIN in cell.text)
    while to_write and cells[to_write - 1].markdown:
        to_write -= 1
    return [*cells[:to_write], *_prediction_cells(exercise), *cells[to_write:]]


def _with_facts(cell: Cell, exercise: Exercise) -> Cell:
    """Return the first cell with the number in its heading and the facts under it."""
    heading, rest = f"# # {exercise.title}", f"# # {exercise.number:02} {exercise.title}"
    needs = f" Before this one: {', '.join(exercise.needs)}." if exercise.needs else ""
    notebook = f" Notebook {exercise.notebook} explains it." if exercise.notebook else ""
    text = f"*{exercise.points} points, about {exercise.minutes} minutes, {LEVELS[exercise.level]}.{needs}{notebook}*"
    facts = "\n".join(f"# {line}" for line in textwrap.wrap(text, WIDTH))
    return Cell(cell.text.replace(heading, f"{rest}\n#\n{facts}", 1), cell.markdown, cell.tags)


def _prediction_cells(exercise: Exercise) -> list[Cell]:
    """Return the question to be answered before writing."""
    prediction = exercise.prediction
    choices = [f"- {key}: {text}" for key, text in prediction.choices.items()]
    lines = ["## Predict first", "", *textwrap.wrap(prediction.question, WIDTH), "", *choices]
    prose = "\n".join(f"# {line}".rstrip() for line in lines)
    letters = " or ".join(f'"{key}"' for key in prediction.choices)
    return [Cell(prose, markdown=True), Cell(f'prediction = ""  # {letters}; it costs no points')]


def student_text(exercise: Exercise) -> str:
    """Return the file that a student gets."""
    return without_solution(as_text(cells_of(exercise)))


def notebook(
    cells: list[Cell], *, metadata: Callable[[int, Cell], dict] = lambda index, cell: {}
) -> str:
    """Return cells as a Jupyter notebook; `metadata(index, cell)` gives what is noted with a cell."""
    return json.dumps(
        {
            "cells": [
                _notebook_cell(index, cell, metadata(index, cell))
                for index, cell in enumerate(cells)
            ],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
        ensure_ascii=False,
    )


def _notebook_cell(index: int, cell: Cell, metadata: dict) -> dict:
    """Return one cell as Jupyter writes it."""
    lines = cell.text.split("\n")
    if cell.markdown:
        lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
    source = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    own = {} if cell.markdown else {"execution_count": None, "outputs": []}
    kind = "markdown" if cell.markdown else "code"
    return {
        "cell_type": kind,
        "id": f"cell-{index:02}",
        "metadata": metadata,
        **own,
        "source": source,
    }


def student_notebook(exercise: Exercise) -> str:
    """Return the notebook that a student gets: the file's cells, and below each to write in one that checks it."""
    cells = []
    for cell in cells_of(exercise):
        cells.append(Cell(without_solution(cell.text), cell.markdown))
        if BEGIN in cell.text:
            cells += check_cells(exercise)
    return notebook(cells)


def check_cells(exercise: Exercise) -> list[Cell]:
    """Return the cells that check an exercise."""
    asks = f'from npformer_course import q\n\nq("{exercise.id}").check()'
    more = f'# then, if you like: q("{exercise.id}").hint(), .why(), and once it passes .solution()'
    return [Cell(f"{asks}\n{more}")]


def solution_text(exercise: Exercise) -> str:
    """Return what stands between the marks, function by function: the cells to write in, with the solution."""
    cells = [
        without_marks(cell.text)
        for cell in exercise.cells
        if BEGIN in cell.text and END in cell.text
    ]
    return "\n\n\n".join(cells) + "\n"
