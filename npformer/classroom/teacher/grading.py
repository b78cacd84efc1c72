"""Grading a class: every answer checked at the grader's own seed, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import local

from ...base.errors import InputError
from .. import course
from ..cases import Case
from ..checks import check
from ..findings import Finding, Part, Report, Result
from ..sandbox import SECONDS, Sandbox
from ..submission import SUFFIXES, code_of, prediction_of

SEED = 1706  # not the student's
MISSING = Finding("guard", "no_file", "nothing was handed in")


def students_in(folder: Path) -> dict[str, Path]:
    """Return the students' folders below one, or the folder itself where it holds answers.

    Raises `InputError` where there are none.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: expected one with a folder for each student")
    if any(path.suffix in SUFFIXES and path.stem in stems() for path in folder.iterdir()):
        return {folder.resolve().name: folder}
    found = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    if not found:
        raise InputError(f"{folder} is empty: npformer class collect brings submissions together")
    return found


def stems() -> set[str]:
    """Return the stems of the exercises' files."""
    return {path.stem for path in course.paths().values()}


def grade(
    folder: Path,
    ids: Sequence[str],
    *,
    seed: int = SEED,
    seconds: float = SECONDS,
    workers: int | None = None,
    told: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Check the answers of every student to some exercises; `told` hears of each student as soon as one is done.

    `seconds` is the time that loading a file, and each call, may take; `workers` answers run at a time (default: one
    for each processor). The same seed gives the same results.
    """
    cases = {id: Case(course.load(id), seed) for id in ids}
    for case in cases.values():
        case.prepare()
    own = local()
    sandboxes = []

    def run(*arguments):
        if not hasattr(own, "sandbox"):
            own.sandbox = Sandbox(seconds)
            sandboxes.append(own.sandbox)
        return own.sandbox.run(*arguments)

    try:
        with ThreadPoolExecutor(workers or n_processors()) as pool:
            waiting = {
                student: [pool.submit(grade_one, place, case, run) for case in cases.values()]
                for student, place in students_in(folder).items()
            }
            results = []
            try:
                for student, reports in waiting.items():
                    results.append(Result(student, tuple(report.result() for report in reports)))
                    told(results[-1])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for sandbox in sandboxes:
            sandbox.close()
    return results


def n_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def grade_one(place: Path, case: Case, run) -> Report:
    """Check a student's answer to one exercise; a file that is missing or cannot be read has no points."""
    stem = course.paths()[case.exercise.id].stem
    path = next((place / f"{stem}{suffix}" for suffix in SUFFIXES if (place / f"{stem}{suffix}").is_file()), None)
    if path is None:
        return nothing(case, MISSING)
    try:
        code = code_of(path)
    except InputError as error:
        return nothing(case, Finding("guard", "unreadable", str(error)), "error")
    return replace(check(case, code, run), predicted=prediction_of(code))


def nothing(case: Case, finding: Finding, outcome: str = "unattempted") -> Report:
    """Return a report without points."""
    named = {part: (call.name, points) for call in case.exercise.calls for part, points in call.parts.items()}
    parts = [Part(name, call, outcome, 0, points, finding) for name, (call, points) in named.items()]
    if case.exercise.unchanged:
        parts.append(Part("inputs unchanged", "", outcome, 0, case.exercise.unchanged, finding))
    return Report(case.exercise.id, tuple(parts))
