"""Scores of a class as lines and as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from npformer.utils.files import write_atomic

from ..grading.write_results import BYTE_ORDER_MARK, in_a_table


@dataclass(frozen=True)
class Score:
    """The score of one student.

    Fields:
        student: the name
        numbers: the score itself and what goes with it, one for each column; none if there is no
            score
        problem: why there is none
    """

    student: str
    numbers: tuple[float, ...] = ()
    problem: str = ""


def sort_scores(scores: Sequence[Score], *, lowest_first: bool) -> list[Score]:
    """Return the scores with the best first, and students without one last, by name.

    >>> scores = [Score("ada", (2.5,)), Score("bob", problem="no file"), Score("cem", (2.1,))]
    >>> [score.student for score in sort_scores(scores, lowest_first=True)]
    ['cem', 'ada', 'bob']
    """
    sign = 1 if lowest_first else -1
    scored = [score for score in scores if score.numbers]
    others = [score for score in scores if not score.numbers]
    scored.sort(key=lambda score: (sign * score.numbers[0], score.student))
    others.sort(key=lambda score: score.student)
    return scored + others


def table_lines(scores: Sequence[Score], columns: Mapping[str, str]) -> Iterator[str]:
    """Yield a table of sorted scores: place, student, numbers or problem.

    `columns` are the names of the numbers, with their formats.

    >>> scores = [Score("cem", (2.1,)), Score("bob", problem="no file")]
    >>> for line in table_lines(scores, {"BLEU": ".1f"}):
    ...     print(line)
       student  BLEU
    1  cem       2.1
    -  bob      no file
    """
    width = max(len(score.student) for score in [Score("student"), *scores])
    names = "  ".join(columns)
    yield f"   {'student':{width}}  {names}"
    for place, score in enumerate(scores, 1):
        if score.numbers:
            cells = []
            for (name, form), number in zip(columns.items(), score.numbers, strict=True):
                cells.append(f"{number:{form}}".rjust(len(name)))
            yield f"{place:<2} {score.student:{width}}  {'  '.join(cells)}"
        else:
            yield f"-  {score.student:{width}}  {score.problem}"


def write_scores(path: Path, scores: Sequence[Score], columns: Mapping[str, str]) -> None:
    """Write sorted scores as a CSV file: student, numbers, problem."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *columns, "problem"])
    for score in scores:
        cells = [""] * len(columns)
        for i, (number, form) in enumerate(zip(score.numbers, columns.values(), strict=False)):
            cells[i] = f"{number:{form}}"
        table.writerow([in_a_table(score.student), *cells, in_a_table(score.problem)])
    write_atomic(path, BYTE_ORDER_MARK + text.getvalue())
