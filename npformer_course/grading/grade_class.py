"""Grading of a class: every answer is checked at the grader's seed, several at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from npformer.utils import n_cores, one_line
from npformer.utils.errors import InputError

from .. import course
from ..case import Case
from ..check_answer import check
from ..report import Finding, Part, Report
from ..sandbox.runner import SECONDS, Sandbox
from ..submission import SUFFIXES, answer_in, code_of, prediction_of
from .collect import LARGEST
from .lms_names import safe_name
from .manual_marks import MARKS

SEED = 1706  # not the student's
MISSING = Finding("guard", "no_file", "nothing was handed in")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")  # in an exception's text: different in every run


def students_in(folder: Path) -> dict[str, Path]:
    """Return the students' folders below one, or the folder itself where it holds answers.

    A folder with results is skipped. Raises `InputError` where no folder holds any answer.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: expected one with a folder for each student")
    if _holds_answers(folder):
        return {safe_name(folder.resolve().name): folder}
    folders: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "__")) and not (path / MARKS).exists():
            if (name := safe_name(path.name)) in folders:
                raise InputError(
                    f"{folders[name]} and {path} are both called {name!r} in a table: rename one of them"
                )
            folders[name] = path
    if not any(map(_holds_answers, folders.values())):
        example = course.stem(course.ids()[0])
        raise InputError(
            f"no folder in {folder} holds an answer, such as {example}.py: "
            "npformer course collect brings submissions together"
        )
    return folders


def _holds_answers(folder: Path) -> bool:
    stems = {path.stem for path in course.paths().values()}
    return any(path.suffix in SUFFIXES and path.stem in stems for path in folder.iterdir())


def grade(
    folder: Path,
    ids: Sequence[str],
    *,
    seed: int = SEED,
    seconds: float = SECONDS,
    workers: int | None = None,
    report: Callable[[str, list[Report], int], None] = lambda student, reports, n_students: None,
) -> dict[str, list[Report]]:
    """Check the answers of every student to some exercises; `report` gets each student's when they are done.

    Loading a file and each call may take `seconds`; `workers` answers run at a time (default: one per core). The same
    seed gives the same results.
    """
    students = students_in(folder)
    cases = [Case(course.load(id), seed) for id in ids]
    for case in cases:
        _ = case.expected, case.mistaken  # worked out once, before threads share them
    results, jobs = {}, product(students.values(), cases, [seconds])
    with (
        ThreadPoolExecutor(workers or n_cores()) as pool,
        closing(pool.map(_grade_one, jobs)) as reports,
    ):
        for student in students:
            results[student] = [*islice(reports, len(cases))]
            report(student, results[student], len(students))
    return results


def _grade_one(job: tuple[Path, Case, float]) -> Report:
    """Check a student's answer to one exercise; a file that is missing, or cannot be read or checked, has no points."""
    place, case, seconds = job
    path = answer_in(place, case.exercise.id)
    if path is None:
        return _nothing(case, MISSING)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} is larger than {LARGEST >> 20} MiB")
        code = code_of(path)
    except InputError as error:
        return _nothing(
            case, Finding("guard", "unreadable", str(error).replace(str(path), path.name)), "error"
        )
    try:
        report = check(case, code, Sandbox(seconds).run)
    except Exception as error:  # whatever an answer is, it ends its own check alone
        text = f"the answer cannot be checked: {type(error).__name__}: {error}"
        return _nothing(case, Finding("guard", "unchecked", one_line(text)), "error")
    return replace(
        report,
        parts=tuple(map(_reproducible, report.parts)),
        predicted=prediction_of(code),
        code=code,
    )


def _reproducible(part: Part) -> Part:
    """Return a part whose text is the same in every run, steers no terminal, and can be written as UTF-8."""
    text = ADDRESS.sub("0x...", one_line(part.finding.text)).encode("utf-8", "replace").decode()
    return replace(part, finding=replace(part.finding, text=text))


def _nothing(case: Case, finding: Finding, outcome: str = "unattempted") -> Report:
    """Return a report without points."""
    parts = [
        Part(name, "", outcome, points, finding) for name, points in case.exercise.worth.items()
    ]
    return Report(case.exercise.id, tuple(parts))
