"""Grading of a class: every answer is checked at the grader's seed, several at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from npformer.utils import n_cores, one_line
from npformer.utils.errors import InputError

from .. import course
from ..case import Case
from ..check_answer import check
from ..execution import without_surrogates
from ..report import Finding, Part, Report
from ..sandbox.runner import SECONDS, Sandbox, SandboxError, end_idle_processes
from ..student.kept import FOLDER as KEPT
from ..submission import SUFFIXES, answer_in, code_of, prediction_of, text_of
from .collect import LARGEST
from .lms_names import safe_name
from .manual_marks import MARKS

SEED = 1706  # not the student's
MISSING = Finding("guard", "no_file", "nothing was handed in")
ENDED = "the grading ended at"  # begins the message of a grading that the machine ended
UNCHECKED = "unchecked"  # the id of what is found where the check of an answer failed
# in an exception's text: different in every run
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
WORK_FOLDER = re.compile(r"[^\s'\"]*[/\\]answer\w+[/\\]+work\b")


class _Work(NamedTuple):
    """A student's work on an exercise, which may be missing in the folder."""

    folder: Path
    student: str
    case: Case


def students_in(folder: Path) -> dict[str, Path]:
    """Return the students' folders below one, or the folder itself where it holds answers.

    A folder with results is skipped. Raises `InputError` where no folder holds any answer, or where
    the folder itself and one below it do.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: expected one with a folder for each student")
    if _holds_answers(folder):
        _check_one_student(folder)
        return {safe_name(folder.resolve().name): folder}

    folders: dict[str, Path] = {}
    # with --out in this same folder an earlier grading has left results among the submissions: the
    # marks, and a folder `students` that is no student
    has_results = (folder / MARKS).exists()
    for path in sorted(folder.iterdir()):
        is_hidden = path.name.startswith((".", "__"))
        if is_hidden or not path.is_dir():
            continue
        is_results = (path / MARKS).exists() or (has_results and path.name == "students")
        # a student may hand in a file of that name
        if is_results and not _holds_answers(path):
            continue
        name = safe_name(path.name)
        if name in folders:
            raise InputError(
                f"{folders[name]} and {path} are both called {name!r} in a table: "
                "rename one of them"
            )
        folders[name] = path

    if not any(_holds_answers(path) for path in folders.values()):
        example = course.stem(course.EXERCISES[0])
        raise InputError(
            f"no folder in {folder} holds an answer, such as {example}.py: "
            "npformer course collect brings submissions together"
        )
    return folders


def _check_one_student(folder: Path) -> None:
    """Raise `InputError` where a folder with an answer has folders with answers, too."""
    for path in sorted(folder.iterdir()):
        # what a notebook keeps of the learner's functions is next to it
        if path.is_dir() and path.name != KEPT.name and _holds_answers(path):
            raise InputError(
                f"{folder} holds an answer, and so does {path}: "
                "move the one that is not the student's"
            )


def _holds_answers(folder: Path) -> bool:
    stems = set(map(course.stem, course.EXERCISES))
    for path in folder.iterdir():
        if path.suffix in SUFFIXES and path.stem in stems:
            return True
    return False


def _do_nothing(student: str, reports: list[Report], n_students: int) -> None:
    pass


def grade(
    folder: Path,
    ids: Sequence[str],
    *,
    seed: int = SEED,
    seconds: float = SECONDS,
    workers: int | None = None,
    on_student: Callable[[str, list[Report], int], None] = _do_nothing,
) -> dict[str, list[Report]]:
    """Check the answers of every student to some exercises. The same seed gives the same results.

    Arguments:
        folder: it holds a folder for each student
        ids: the exercises
        seed: of the draws
        seconds: time limit of loading a file, and of each call
        workers: the number of answers that run at a time (default: one per core)
        on_student: is called with each student, the reports, and the number of students

    Raises `SandboxError`, which names the answer, where the machine has no room or memory for the
    check: an answer that could not be checked must not look like a wrong one.
    """
    students = students_in(folder)
    cases = [Case(course.load(id), seed) for id in ids]
    for case in cases:
        _ = case.expected, case.mistaken  # computed once, before threads share them

    all_work = []
    for student, own_folder in students.items():
        for case in cases:
            all_work.append(_Work(own_folder, student, case))

    results = {}
    with closing(_reports(all_work, seconds, workers or n_cores())) as reports:
        for student in students:
            results[student] = list(islice(reports, len(cases)))
            on_student(student, results[student], len(students))
    return results


def _reports(
    all_work: Sequence[_Work], seconds: float, workers: int
) -> Generator[Report, None, None]:
    """Yield a report of each work, in their order.

    What the machine cannot check while others are checked is checked again alone: one of them may
    have filled the disk. Raises `SandboxError` where that fails too.
    """

    def grade_next_to_others(work: _Work) -> Report:
        return _grade_one(work, Sandbox(seconds, alone=False))

    left = list(all_work)
    while left:
        with ThreadPoolExecutor(workers) as pool:
            try:
                for report in pool.map(grade_next_to_others, left.copy()):
                    del left[0]
                    yield report
            except (SandboxError, RuntimeError):  # RuntimeError: the pool cannot start a thread
                pass
            finally:
                # after an error, or Ctrl-C, checks that have not begun are canceled; the end of
                # the with block, which cancels nothing, then waits for those that run
                pool.shutdown(wait=False, cancel_futures=True)
        if left:
            end_idle_processes()
            yield _grade_one(left.pop(0), Sandbox(seconds))


def _grade_one(work: _Work, sandbox: Sandbox) -> Report:
    """Check a student's answer to one exercise, and name it where the machine cannot check it."""
    exercise = work.case.exercise
    try:
        path = answer_in(work.folder, exercise.id)
        if path is None:
            return _without_points(work.case, MISSING)
        return _check_file(path, work.case, sandbox)
    except (SandboxError, OSError, MemoryError) as error:
        reason = str(error) or "out of memory"
        raise SandboxError(
            f"{ENDED} {work.student}'s answer to {course.stem(exercise.id)}: {reason}. "
            "No result was written: make room, or choose fewer --workers, and grade again"
        ) from error


def _check_file(path: Path, case: Case, sandbox: Sandbox) -> Report:
    """Check a file; one that is damaged has no points. Raises errors that are not the file's."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(
                f"{path} is larger than {LARGEST >> 20} MiB: "
                "leave out what is not code, such as the outputs of a notebook"
            )
        code = code_of(path)
    except InputError as error:
        # the disk failed, not the student: the readers raise InputError "from None", which hides
        # the OSError in a traceback but keeps it as the context
        if isinstance(error.__context__, OSError):
            raise error.__context__ from None
        # the student reads this, and the path is one of the teacher's folders
        text = str(error).replace(str(path), path.name)
        return _without_points(case, Finding("guard", "unreadable", text), "error")

    try:
        report = check(case, code, sandbox.run)
    except (SandboxError, OSError, MemoryError):
        raise
    except Exception as error:  # whatever an answer is, it ends its own check alone
        text = f"the answer cannot be checked: {type(error).__name__}: {error}"
        return _without_points(case, Finding("guard", UNCHECKED, one_line(text)), "error")

    parts = tuple(_reproducible(part) for part in report.parts)
    return replace(
        report,
        parts=parts,
        predicted=prediction_of(code),
        code=text_of(code),
        failed_cells=tuple(_reproducible_text(text) for text in sandbox.failed_cells),
    )


def _reproducible(part: Part) -> Part:
    """Return a part with a reproducible text."""
    text = _reproducible_text(part.finding.text)
    return replace(part, finding=replace(part.finding, text=text))


def _reproducible_text(text: str) -> str:
    """Return a text that is the same in every run, steers no terminal, and is UTF-8."""
    text = ADDRESS.sub("0x...", one_line(text))
    text = WORK_FOLDER.sub("...", text)
    return without_surrogates(text)


def _without_points(case: Case, finding: Finding, outcome: str = "unattempted") -> Report:
    """Return a report without points."""
    parts = []
    for name, points in case.exercise.worth.items():
        parts.append(Part(name, "", outcome, points, finding))
    return Report(case.exercise.id, tuple(parts))
