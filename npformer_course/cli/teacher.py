"""The verbs of a teacher: release exercises, collect answers, grade a class."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from npformer.cli.argument_parser import file_name, number, utf8_text
from npformer.cli.standard_streams import print_error

from .. import course
from ..grading import release as releases
from ..grading.collect import collect as collect_answers
from ..grading.exercise_selection import WEEKS, exercise_ids
from ..grading.grade_class import SEED, UNCHECKED, students_in
from ..grading.grade_class import grade as grade_class
from ..grading.manual_marks import MARKS, read_marks
from ..grading.write_results import write_results
from ..report import Report, total
from ..sandbox.runner import MOST_SECONDS, SECONDS
from ..words import counted
from .terminal import say

SETS = f"all, {', '.join(WEEKS)}, ids, notebooks as 07 or 05-09, with commas between (default all)"


def add_verbs(parser) -> None:
    """Add the verbs and their options."""
    _add_release(parser)
    _add_collect(parser)
    _add_grade(parser)


def _add_release(parser) -> None:
    add = parser.add_verb("release", release).add_argument
    add("--set", type=utf8_text, default="all", metavar="SET", help=SETS)
    kind = "what is written (default folder)"
    add("--as", dest="kind", choices=releases.KINDS, default="folder", help=kind)
    add("--out", type=file_name, required=True, metavar="DIR", help="folder to write")
    name = "nbgrader's assignment, or a site's title (default: the set's)"
    add("--name", type=file_name, metavar="NAME", help=name)
    offline = "Pyodide to copy into a site (default: pages load it)"
    add("--offline", type=file_name, metavar="DIR", help=offline)
    seed = f"seed with which nbgrader or Gradescope grade (default {SEED})"
    add("--seed", type=number(least=0), default=SEED, help=seed)
    install = "what pip installs on Gradescope (default: npformer of this version)"
    add("--install", type=utf8_text, metavar="WHAT", help=install)


def _add_collect(parser) -> None:
    add = parser.add_verb("collect", collect).add_argument
    sources = "a student's folder or zip file, or a folder of those"
    add("sources", nargs="+", type=file_name, metavar="SOURCE", help=sources)
    add("--out", type=file_name, required=True, metavar="DIR", help="folder to write below")
    student = "whose all of it is (default: sources' names)"
    add("--student", type=utf8_text, default="", metavar="NAME", help=student)


def _add_grade(parser) -> None:
    add = parser.add_verb("grade", grade).add_argument
    add("folder", type=file_name, metavar="DIR", help="what npformer course collect wrote")
    add("--set", type=utf8_text, default="all", metavar="SET", help=SETS)
    out = "folder to write to (default results)"
    add("--out", type=file_name, default="results", metavar="DIR", help=out)
    add("--seed", type=number(least=0), default=SEED, help=f"seed of the draws (default {SEED})")
    seconds = f"time limit of loading a file, and of each call (default {SECONDS:g})"
    add("--seconds", type=number(least=1, most=MOST_SECONDS), default=SECONDS, help=seconds)
    workers = "answers that run at a time (default: one per core)"
    add("--workers", type=number(least=1), metavar="N", help=workers)


def release(options) -> int:
    """Write what a class gets (for teachers)."""
    out = Path(options.out)
    # the others have their defaults in `release`
    settings = {}
    for name in ("install", "offline"):
        if getattr(options, name):
            settings[name] = getattr(options, name)
    files = releases.release(
        out,
        exercise_ids(options.set),
        options.kind,
        name=options.name or options.set.replace(",", "_"),
        seed=options.seed,
        **settings,
    )
    print(*files, sep="\n")
    say(f"{counted(len(files), 'file')} in {out}", "title")
    return 0


def collect(options) -> int:
    """Collect submissions (for teachers). Folders and zip files become one folder per student."""
    sources = [Path(source) for source in options.sources]
    students, problems = collect_answers(sources, Path(options.out), options.student)
    for student, stems in students.items():
        if stems:
            say(f"{student}: {counted(len(stems), 'exercise')}")
        else:
            say(f"{student}: no exercise found")
    for problem in problems:
        print_error(problem)
    say(f"{counted(len(students), 'student')} in {options.out}", "title")
    return 1 if problems else 0


def grade(options) -> int:
    """Grade a class (for teachers). The results of all students are written to a folder."""
    begin = time.monotonic()
    out = Path(options.out)
    ids = exercise_ids(options.set)
    # a class takes minutes: what is wrong is reported before, not after
    students_in(Path(options.folder))
    read_marks(out, ids)

    graded: list[str] = []

    def print_student(student: str, reports: list[Report], n_students: int) -> None:
        graded.append(student)
        # as wide as the largest number, so that the names are below each other
        place = f"{len(graded)}/{n_students}".rjust(2 * len(str(n_students)) + 1)
        points, out_of = total(reports)
        say(f"{place} {student}: {points} of {out_of}{_not_handed_in(reports)}")

    results = grade_class(
        Path(options.folder),
        ids,
        seed=options.seed,
        seconds=options.seconds,
        workers=options.workers,
        on_student=print_student,
    )
    for student in write_results(results, out, options.seed):
        print_error(
            f"{out / MARKS} has marks for {student or 'nobody'}, "
            f"whose answers are not in {options.folder}"
        )
    n_unchecked = _print_unchecked(results)
    seconds = time.monotonic() - begin
    page = out / "class.html"
    say(f"{counted(len(results), 'student')} in {seconds:.0f} s. The class: {page}", "title")
    return 1 if n_unchecked else 0


def _not_handed_in(reports: Sequence[Report]) -> str:
    """Return words for the exercises that a student has not handed in."""
    missing = []
    for report in reports:
        if all(part.finding.id == "no_file" for part in report.parts):
            missing.append(report.exercise)
    if len(missing) == len(reports):
        return "; nothing handed in"
    if not missing:
        return ""
    return f"; not handed in: {', '.join(missing)}"


def _print_unchecked(results: Mapping[str, Sequence[Report]]) -> int:
    """Name the answers whose check failed, and return how many there are."""
    n_unchecked = 0
    for student, reports in results.items():
        for report in reports:
            finding = report.parts[0].finding
            if finding.id == UNCHECKED:
                n_unchecked += 1
                print_error(f"{student}, {course.stem(report.exercise)}: {finding.text}")
    return n_unchecked
