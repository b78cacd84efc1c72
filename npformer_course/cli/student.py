"""The verbs of a student: start, check, hint and so on."""

import time
from pathlib import Path

from npformer.cli.argument_parser import file_name, number, utf8_text
from npformer.utils import InputError

from .. import course
from ..files import solution_text
from ..format_report import NOTHING_WRONG, Line, hint_lines, report_lines
from ..order import PARTS, Notebook, place_of
from ..sandbox.runner import MOST_SECONDS, SECONDS, Sandbox
from ..student import folder as folders
from ..student.file_watcher import Watch
from ..student.folder import SEED, Folder, check_file, own_functions
from ..student.own_parts import count_of_parts
from ..student.progress import NAME as PROGRESS
from ..student.student_layers import MODEL_PARTS, TRANSLATING
from ..submission import SUFFIXES
from ..words import counted
from . import lint, own_model, score, teacher
from .step import step
from .terminal import NO_BREAK, say, show

POLL_SECONDS = 0.2  # between two looks at the files


def add_options(parser) -> None:
    """Add the verbs of students, with their options, and those of teachers."""
    add = parser.add_verb("start", start).add_argument
    add("folder", type=file_name, metavar="DIR", help="folder to write")
    add("ids", nargs="*", default=[], type=utf8_text, metavar="ID", help="exercises (default: all)")
    add("--notebooks", action="store_true", help="notebooks in place of files")

    parser.add_verb("watch", watch)

    add = parser.add_verb("check", check).add_argument
    id_or_file = "exercise or file (default: the next)"
    add("id", nargs="?", type=file_name, metavar="ID", help=id_or_file)
    mine = "run it on your own earlier answers, not on the functions that it gives"
    add("--mine", action="store_true", help=mine)
    add("--seed", type=number(least=0), default=SEED, help=f"seed of the draws (default {SEED})")
    seconds = f"time limit of each call (default {SECONDS:g})"
    add("--seconds", type=number(least=1, most=MOST_SECONDS), default=SECONDS, help=seconds)

    for name, run in {"hint": hint, "why": why, "solution": solution, "step": step}.items():
        add = parser.add_verb(name, run).add_argument
        add("id", nargs="?", type=utf8_text, metavar="ID", help="exercise (default: the next)")
    # `add` is still that of the last verb, step, which alone writes a page
    page = "the page (default step.html)"
    add("--html", type=file_name, metavar="FILE", default="step.html", help=page)

    parser.add_verb("list", list_exercises)
    add = parser.add_verb("reset", reset).add_argument
    add("id", type=utf8_text, metavar="ID", help="exercise")
    own_model.add_verbs(parser)
    teacher.add_verbs(parser)
    score.add_verb(parser)
    lint.add_verb(parser)


def start(options) -> int:
    """Write a folder with the exercises: files to write in, or notebooks."""
    files = folders.start(Path(options.folder), options.ids, notebooks=options.notebooks)
    verb = "is" if len(files) == 1 else "are"
    say(f"{counted(len(files), 'exercise')} {verb} in {options.folder}.", "title")
    if options.notebooks:
        say(f"Open {files[0].name} in JupyterLab or VS Code and run it from the top.")
    else:
        say(
            f"Go there (cd {options.folder}), type  npformer course  and open {files[0].name} "
            "in an editor."
        )
    return 0


def watch(options) -> int:
    """Show the next exercise, check it at every save, and continue when it passes; Ctrl-C ends."""
    folder = Folder()
    say(count_of_parts(folder.progress))
    print()
    files = Watch(folder.files)
    id = folder.next()
    while id is not None:
        _show_task(folder, id)
        passed = _wait_for_pass(folder, files, Sandbox())
        id = folder.next(after=passed)
    say("All checks passed, in every exercise.", "right")
    return 0


def _show_task(folder: Folder, id: str) -> None:
    """Show the exercise to do next."""
    exercise = course.load(id)
    part, notebook = place_of(id)
    place = list(folder.files).index(id) + 1
    say(f"{part.title}, notebook {exercise.number:02}: {notebook.title}")
    say(f"{exercise.number:02} {exercise.title} ({place} of {len(folder.files)})", "title")
    say(f"Open {folder.files[id]}: {exercise.points} points, about {exercise.minutes} minutes.")
    say(
        "It is checked when you save. In another terminal:  npformer course hint, why or list. "
        "Ctrl-C ends this."
    )


def _wait_for_pass(folder: Folder, files: Watch, sandbox: Sandbox) -> str:
    """Check what is saved until an exercise passes for the first time; return its id."""
    while True:
        time.sleep(POLL_SECONDS)
        for id in files.saved():
            passed_before = folder.progress[id].passed
            print()
            # a notebook that is saved in part, or a progress that is damaged
            try:
                report = folder.check(id, sandbox)
                show(report_lines(report))
            except InputError as error:
                say(str(error), "error")
                continue
            if report.passed and not passed_before:
                _praise(id)
                return id


def _praise(id: str) -> None:
    """Say what to do once an exercise passes."""
    say(f"To compare yours with ours: npformer course solution {id}")
    if id in MODEL_PARTS:
        verb = "translate" if id in TRANSLATING else "train"
        say(f"It is a part of your Transformer. To run it: npformer course {verb}")
    print()


def check(options) -> int:
    """Check an exercise, named by its id or number in this folder, or by its file anywhere.

    Progress is noted in this folder, for its own files.
    """
    sandbox = Sandbox(options.seconds)
    folder = None
    if options.id and Path(options.id).suffix in SUFFIXES:
        path = Path(options.id)
        if not path.is_file():
            raise InputError(f"{path} does not exist: check the name and the folder")
        id = course.load(path.stem).id
        if path.resolve().parent == Path.cwd() and Path(PROGRESS).exists():
            folder = Folder()
    else:
        folder = Folder()
        id = folder.chosen(options.id)
        path = folder.files[id]

    more = ""
    if options.mine:
        more, whose = own_functions(path.parent, id, sandbox)
        say(whose)
    report = check_file(path, id, sandbox, seed=options.seed, more=more)
    show(report_lines(report))
    if folder:
        folder.progress.note(report)
    return 0 if report.passed else 1


def hint(options) -> int:
    """Show the next hint of an exercise."""
    folder = Folder()
    id = folder.chosen(options.id)
    show(hint_lines(course.load(id), folder.progress.note_hint(id)))
    return 0


def why(options) -> int:
    """Explain what is wrong with an exercise: the numbers too, and the hint that fits."""
    folder = Folder()
    id = folder.chosen(options.id)
    # to ask why is no attempt: the progress does not count it
    report = folder.check(id, Sandbox(), record=False)
    if report.passed:
        say(NOTHING_WRONG)
    elif report.attempted or report.failed_cells or any(p.finding.text for p in report.parts):
        show(report_lines(report, why=True))
        say(f"To see your lines run, with every array that they make: npformer course step {id}")
    else:
        say(
            f"There is nothing to explain yet: write something into {folder.files[id]} first. "
            "A hint may help."
        )
    return 0


def solution(options) -> int:
    """Show the solution of an exercise. It opens when yours passes."""
    folder = Folder()
    id = folder.chosen(options.id)
    if not folder.check(id, Sandbox(), record=False).passed:
        say(
            f"The solution of {id} opens once yours passes. "
            f"A hint may help: npformer course hint {id}"
        )
        return 1
    print(solution_text(course.load(id)), end="")
    return 0


def list_exercises(options) -> int:
    """Show the exercises of this folder by part and notebook, and which of them pass."""
    folder = Folder()
    for part in PARTS:
        notebooks = []
        for notebook in part.notebooks:
            if any(id in folder.files for id in notebook.exercises):
                notebooks.append(notebook)
        if notebooks:
            say(part.title, "title")
        for notebook in notebooks:
            _show_notebook(notebook, folder)

    exercises = [course.load(id) for id in folder.files]
    passed = [exercise for exercise in exercises if folder.progress[exercise.id].passed]
    points = sum(exercise.points for exercise in passed)
    out_of = sum(exercise.points for exercise in exercises)
    say(f"{len(passed)} of {len(exercises)} exercises, {points} of {out_of} points", "title")
    say(count_of_parts(folder.progress))
    return 0


def _show_notebook(notebook: Notebook, folder: Folder) -> None:
    """Show the exercises of a notebook in one line."""
    texts = []
    style = "right"
    for id in notebook.exercises:
        if id not in folder.files:
            continue
        exercise = course.load(id)
        if folder.progress[id].passed:
            texts.append(f"✓{NO_BREAK}{id}")
        else:
            texts.append(f"·{NO_BREAK}{id}{NO_BREAK}({exercise.minutes}{NO_BREAK}min)")
            style = "plain"
    number = exercise.number
    show([Line(style, 1, f"{number:02} {notebook.title}: {', '.join(texts)}")])


def reset(options) -> int:
    """Restore an exercise. What you wrote is kept in a file that ends in .old."""
    old = Folder().reset(course.load(options.id).id)
    text = "It is as it was."
    if old:
        text += f" What you wrote: {old}"
    say(text)
    return 0
