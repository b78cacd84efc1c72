"""An exercise as nbgrader's source: the solution between the marks that nbgrader strips, and a cell a part that grades.

The grading cells ask `q` for one part, once at the student's seed and once, in tests that nbgrader hides, at another.
"""

from __future__ import annotations

from ..exercise import Exercise
from ..render import cells_of, notebook
from ..source import BEGIN, Cell

HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def nbgrader_source(exercise: Exercise, seed: int) -> str:
    """Return the notebook for nbgrader's folder source/."""
    cells = [*cells_of(exercise), Cell("from npformer.classroom import q")]
    points = {part: points for call in exercise.calls for part, points in call.parts.items()}
    if exercise.unchanged:
        points["inputs unchanged"] = exercise.unchanged
    first = len(cells)
    for part in points:
        ask = f'q("{exercise.id}").require("{part}")'
        again = f'q("{exercise.id}").require("{part}", seed={seed})'
        cells.append(Cell("\n".join([ask, HIDDEN[0], again, HIDDEN[1]])))
    worth = list(points.values())

    def metadata(index: int, cell: Cell) -> dict:
        grades = index >= first
        solution = BEGIN in cell.text
        own = {
            "grade": grades,
            "grade_id": f"{exercise.id}-{index:02}",
            "locked": not solution,
            "schema_version": 3,
            "solution": solution,
            "task": False,
        }
        return {"nbgrader": own | ({"points": worth[index - first]} if grades else {})}

    return notebook(cells, metadata=metadata)
