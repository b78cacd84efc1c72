"""nbgrader: an exercise with the solution between the marks that it strips, and one grading cell per part.

The grading cells ask `q` for one part, once at the student's seed and once, in tests that nbgrader hides, at another.
"""

from __future__ import annotations

import re

from ...exercise import Exercise
from ...files import cells_of, check_cells, notebook
from ...percent_format import BEGIN, Cell

HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def nbgrader_source(exercise: Exercise, seed: int) -> str:
    """Return the notebook for nbgrader's folder source/.

    What a student writes in, the prediction, and the cell that checks are the student's; the rest is locked.
    """
    prepared = cells_of(exercise)
    last = max(index for index, cell in enumerate(prepared) if BEGIN in cell.text)
    above, below = prepared[: last + 1], prepared[last + 1 :]
    points = exercise.worth
    cells = [
        *above,
        *check_cells(exercise),
        *below,
        *(_grading_cell(exercise, part, seed) for part in points),
    ]
    first, parts = len(cells) - len(points), list(points)

    def metadata(index: int, cell: Cell) -> dict:
        if cell.text.startswith("prediction =") or cell in check_cells(exercise):
            return {}
        grades, solution = index >= first, BEGIN in cell.text
        part = re.sub(r"[^A-Za-z0-9_]+", "-", parts[index - first]) if grades else f"{index:02}"
        own = {
            "grade": grades,
            "grade_id": f"{exercise.id}-{part}",
            "locked": not solution,
            "schema_version": 3,
            "solution": solution,
            "task": False,
        }
        return {"nbgrader": own | ({"points": points[parts[index - first]]} if grades else {})}

    return notebook(cells, metadata=metadata)


def _grading_cell(exercise: Exercise, part: str, seed: int) -> Cell:
    """Return the cell that grades one part; it does not depend on the cells above."""
    asks = [f'q("{exercise.id}").require("{part}"{further})' for further in ("", f", seed={seed}")]
    return Cell(
        "\n".join(["from npformer_course import q", "", asks[0], HIDDEN[0], asks[1], HIDDEN[1]])
    )
