"""nbgrader: an exercise with marks around the solution, and one grading cell per part.

nbgrader strips what is between the marks. The grading cells ask `exercise` for one part, once at
the student's seed and once, in tests that nbgrader hides, at another.
"""

from __future__ import annotations

import re

from ...definition import Exercise
from ...files import cells_of, check_cells, notebook
from ...percent_format import BEGIN, Cell

BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
END_HIDDEN = "### END HIDDEN TESTS"


def nbgrader_source(exercise: Exercise, seed: int) -> str:
    """Return the notebook for nbgrader's folder source/.

    The student's are what a student writes in, the prediction, and the cell that checks; the rest
    is locked.
    """
    # one check, after the last cell to write in: `student_notebook` has one after each
    last_to_write = 0
    for index, cell in enumerate(cells_of(exercise)):
        if BEGIN in cell.text:
            last_to_write = index
    cells = []
    for index, cell in enumerate(cells_of(exercise)):
        cells.append(cell)
        if index == last_to_write:
            cells += check_cells(exercise)
    first_grading = len(cells)
    parts = list(exercise.worth)
    cells += [_grading_cell(exercise, part, seed) for part in parts]

    def metadata(index: int, cell: Cell) -> dict:
        if cell.text.startswith("prediction =") or cell in check_cells(exercise):
            return {}
        is_to_write = BEGIN in cell.text
        own = {
            "grade": False,
            "grade_id": f"{exercise.id}-{index:02}",
            "locked": not is_to_write,
            "schema_version": 3,
            "solution": is_to_write,
            "task": False,
        }
        if index >= first_grading:
            part = parts[index - first_grading]
            own["grade"] = True
            own["grade_id"] = f"{exercise.id}-{re.sub(r'[^A-Za-z0-9_]+', '-', part)}"
            own["points"] = exercise.worth[part]
        return {"nbgrader": own}

    return notebook(cells, metadata=metadata)


def _grading_cell(exercise: Exercise, part: str, seed: int) -> Cell:
    """Return the cell that grades one part; it does not depend on the cells above."""
    lines = [
        "from npformer_course import exercise",
        "",
        f'exercise("{exercise.id}").require("{part}")',
        BEGIN_HIDDEN,
        f'exercise("{exercise.id}").require("{part}", seed={seed})',
        END_HIDDEN,
    ]
    return Cell("\n".join(lines))
