"""Grading a class: every answer checked at the grader's own seed, several at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import local

from ...utils.cpu import n_cores
from ...utils.errors import InputError
from .. import index as course
from ..execution import Answer, Job, Ran
from ..exercise import UNCHANGED, Exercise
from ..exercise_at_seed import Case
from ..grade import Runner, check
from ..report import Finding, Part, Report, Result
from ..sandbox.runner import SECONDS, Sandbox
from ..submission import SUFFIXES, answer_in, code_of, prediction_of
from .archives import LARGEST
from .lms_names import name_of
from .outputs.manual_marks import NAME as MARKS

SEED = 1706  # not the student's
MISSING = Finding("guard", "no_file", "nothing was handed in")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")  # in an exception's text: another at every run


def students_in(folder: Path) -> dict[str, Path]:
    """Return the students' folders below one, or the folder itself where it holds answers; results are none.

    Raises `InputError` where no folder holds any.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: expected one with a folder for each student")
    if holds_answers(folder):
        return {name_of(folder.resolve().name): folder}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "__")) and not (path / MARKS).exists():
            if (name := name_of(path.name)) in found:
                raise InputError(f"{found[name]} and {path} are both called {name!r} in a table: rename one of them")
            found[name] = path
    if not any(map(holds_answers, found.values())):
        example = next(iter(course.paths().values())).name
        raise InputError(
            f"no folder in {folder} holds an answer, such as {example}: "
            "npformer class collect brings submissions together"
        )
    return found


def holds_answers(folder: Path) -> bool:
    """Tell whether an answer lies in a folder, not below it."""
    try:
        return any(path.suffix in SUFFIXES and path.stem in stems() for path in folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot read the folder {folder}: {error.strerror}") from None


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
    told: Callable[[Result, int, int], None] = lambda result, number, n_students: None,
) -> list[Result]:
    """Check the answers of every student to some exercises; `told` hears of each result its number and their count.

    `seconds` is the time that loading a file, and each call, may take; `workers` answers run at a time (default: one
    for each core). The same seed gives the same results.
    """
    students = students_in(folder)
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
        with ThreadPoolExecutor(workers or n_cores()) as pool:
            waiting = {
                student: [pool.submit(grade_one, place, case, run) for case in cases.values()]
                for student, place in students.items()
            }
            results = []
            try:
                for student, reports in waiting.items():
                    results.append(Result(student, tuple(report.result() for report in reports)))
                    told(results[-1], len(results), len(students))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for sandbox in sandboxes:
            sandbox.close()
    return results


def grade_one(place: Path, case: Case, run) -> Report:
    """Check a student's answer to one exercise; a file that is missing or cannot be read has no points."""
    path = answer_in(place, case.exercise.id)
    if path is None:
        return nothing(case, MISSING)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} is larger than {LARGEST >> 20} MiB")
        code = code_of(path)
    except InputError as error:
        return nothing(case, Finding("guard", "unreadable", str(error).replace(str(path), path.name)), "error")
    report = check(case, code, once_too_slow(run))
    return replace(report, parts=tuple(map(steady, report.parts)), predicted=prediction_of(code))


def once_too_slow(run: Runner) -> Runner:
    """Return a runner that runs no call again that took too long before: looking for reasons asks for many runs."""
    slow: set[str] = set()

    def patiently(exercise: Exercise, text: str, jobs: list[Job]) -> Ran:
        if any(job.call in slow for job in jobs):
            return Ran([Answer("timeout")] * len(jobs))
        ran = run(exercise, text, jobs)
        slow.update(job.call for job, answer in zip(jobs, ran.answers, strict=True) if answer.state == "timeout")
        return ran

    return patiently


def steady(part: Part) -> Part:
    """Return a part whose text is the same at every run, and can be written."""
    text = ADDRESS.sub("0x...", part.finding.text).encode("utf-8", "replace").decode()
    return replace(part, finding=replace(part.finding, text=text))


def nothing(case: Case, finding: Finding, outcome: str = "unattempted") -> Report:
    """Return a report without points."""
    parts = [
        Part(name, call.name, outcome, 0, points, finding)
        for call in case.exercise.calls
        for name, points in call.parts.items()
    ]
    if case.exercise.unchanged:
        parts.append(Part(UNCHANGED, "", outcome, 0, case.exercise.unchanged, finding))
    return Report(case.exercise.id, tuple(parts))
