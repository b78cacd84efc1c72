"""The verbs of a student: start, check, hint and so on."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from npformer import runs
from npformer.cli.argument_parser import file_name, number, utf8_text
from npformer.utils import InputError

from .. import course
from ..definition import module_of
from ..files import solution_text
from ..format_report import hint_lines, report_lines
from ..grading.exercise_selection import WEEKS, exercise_ids
from ..sandbox.runner import SECONDS, Sandbox
from ..student import folder as folders
from ..student.file_watcher import Watch
from ..student.folder import SEED, Folder, check_file, own_functions
from ..student.student_layers import ADAPTERS, own_layers
from ..submission import SUFFIXES, code_of
from ..words import counted
from . import lint, teacher
from .step import step
from .terminal import say, show

POLL_SECONDS = 0.2  # between two looks at the files
SETTINGS: dict[str, Any] = {  # of a model that learns in a minute
    "d_model": 64,
    "d_ff": 128,
    "n_heads": 4,
    "n_encoder_layers": 1,
    "n_decoder_layers": 1,
    "warmup_steps": 200,
    "learning_rate": 0.003,
    "batch_tokens": 1024,
    "workers": 1,
}
REPORT_EVERY = 40  # updates


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
    add("--seconds", type=number(least=1), default=SECONDS, help=seconds)

    for name, run in {"hint": hint, "why": why, "solution": solution, "step": step}.items():
        add = parser.add_verb(name, run).add_argument
        add("id", nargs="?", type=utf8_text, metavar="ID", help="exercise (default: the next)")
    # `add` is still that of the last verb, step, which alone writes a page
    page = "the page (default step.html)"
    add("--html", type=file_name, metavar="FILE", default="step.html", help=page)

    parser.add_verb("list", list_exercises)
    add = parser.add_verb("reset", reset).add_argument
    add("id", type=utf8_text, metavar="ID", help="exercise")
    add = parser.add_verb("train", train).add_argument
    add("--epochs", type=number(least=1), default=10, metavar="N", help="epochs (default 10)")
    teacher.add_verbs(parser)
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
    say(f"{exercise.number:02} {exercise.title}", "title")
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
    if any(exercise_ids(week)[-1] == id for week in WEEKS):
        say("The week is done. To train a model with all of your layers: npformer course train")
    print()


def check(options) -> int:
    """Check an exercise, named by its id or number in this folder, or by its file anywhere."""
    # a file by its name is checked anywhere, and no progress is noted
    sandbox = Sandbox(options.seconds)
    folder = None
    if options.id and Path(options.id).suffix in SUFFIXES:
        path = Path(options.id)
        if not path.is_file():
            raise InputError(f"{path} does not exist: check the name and the folder")
        id = course.load(path.stem).id
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
    if report.attempted or any(part.finding.text for part in report.parts):
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
    """Show the exercises of this folder, and which of them pass."""
    folder = Folder()
    n_passed = 0
    points = 0
    out_of = 0
    for id in folder.files:
        exercise = course.load(id)
        text = f"{exercise.number:02} {id} ({exercise.points} points, {exercise.minutes} min)"
        out_of += exercise.points
        if folder.progress[id].passed:
            n_passed += 1
            points += exercise.points
            say(f"✓ {text}", "right")
        else:
            say(f"· {text}")
    say(f"{n_passed} of {len(folder.files)} exercises, {points} of {out_of} points", "title")
    return 0


def reset(options) -> int:
    """Restore an exercise. What you wrote is kept in a file that ends in .old."""
    old = Folder().reset(course.load(options.id).id)
    text = "It is as it was."
    if old:
        text += f" What you wrote: {old}"
    say(text)
    return 0


def train(options) -> int:
    """Train a model with the layers that you have written. npformer's replace the others."""
    folder = Folder()
    passing = _show_passing(folder)
    # in this process and not in the sandbox, because every update calls these functions
    modules = {id: module_of(code_of(folder.files[id])) for id in passing}
    with own_layers(modules), TemporaryDirectory() as place:
        folder_of_run = Path(place, "run")
        training = runs.begin("reverse", folder=folder_of_run, epochs=options.epochs, **SETTINGS)
        for update in training.updates():
            if update.step % REPORT_EVERY == 1:
                bar = "█" * round(10 * update.loss)
                say(f"update {update.step:5}   loss {update.loss:.3f} {bar}")
        pairs = training.held_out[:8]
        translator: Any = training.predictor()
        translations = translator.translate([pair.source for pair in pairs], beam=1)

    n_correct = 0
    for pair, translation in zip(pairs, translations, strict=True):
        style = "wrong"
        if translation == pair.target:
            style = "right"
            n_correct += 1
        say(f"{pair.source}  ->  {translation}", style)
    say(f"{n_correct} of {len(pairs)} sentences that it has never seen come out reversed.", "title")
    return 0


def _show_passing(folder: Folder) -> list[str]:
    """Check the exercises that are layers of the model, and show whose function each has."""
    sandbox = Sandbox()
    passing = []
    others = []
    for id in ADAPTERS:
        if id in folder.files and folder.check(id, sandbox).passed:
            passing.append(id)
        else:
            others.append(id)
    say(f"Yours: {', '.join(passing) or 'none yet'}.", "right")
    if others:
        say(f"npformer's in place of: {', '.join(others)}.")
    return passing
