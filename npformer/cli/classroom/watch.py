"""Show the next exercise, check it at every save, and continue when it passes."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...classroom import index as course
from ...classroom.format_report import Line, report_lines
from ...classroom.sandbox.runner import Sandbox
from ...classroom.student.file_watcher import Watch
from ...classroom.student.folder import Folder
from ...utils.errors import InputError
from .hint import hint
from .keypress import single_keys
from .list import exercises
from .terminal import say, show, times
from .why import why

KEYS = "n next, h hint, w why, l list, x reset, q quit"
POLL = 0.2  # seconds


def add_options(parser) -> None:
    """Add the options."""
    manual = "wait for a line in place of a save: Enter checks, a letter does what it says"
    parser.add_argument("--manual", action="store_true", help=manual)


def run(options) -> int:
    """Watch until q, or until every exercise passes."""
    with Sandbox() as sandbox:
        lesson = Lesson(Folder(), sandbox, "when you press Enter" if options.manual else "when you save")
        if options.manual:
            lesson.begin()
            while not lesson.over:
                lesson.survive(lesson.obey, _read_line(f"[Enter] check, {KEYS}: ") or "c", _read_line)
            return 0
        watch = Watch(lesson.folder.files)
        with single_keys() as key:  # before anything is shown: a key that comes early counts

            def ask(question: str) -> str:
                print(question, end="", flush=True)
                pressed = key(60)
                print(pressed if pressed.isprintable() else "", flush=True)
                return pressed

            lesson.begin()
            while not lesson.over:
                if pressed := key(POLL):
                    lesson.survive(lesson.obey, pressed, ask)
                    if lesson.written:
                        watch.look_again(lesson.written)
                        lesson.written = ""
                for id in watch.saved():
                    lesson.survive(lesson.check, id)
    return 0


def _read_line(question: str) -> str:
    """Print a question and return the line that comes; the end of the input quits."""
    try:
        return input(question).strip().lower()[:1]
    except EOFError:
        print()
        return "q"


class Lesson:
    """A student at work: the exercise at hand, and what each key does."""

    def __init__(self, folder: Folder, sandbox: Sandbox, when: str):
        self.folder, self.sandbox, self.when = folder, sandbox, when
        self.id = folder.chosen(None)
        self.over = False
        self.written = ""  # what was just given back as it was, which is no save of the student's

    def begin(self) -> None:
        """Show the exercise at hand, or check all where none is left."""
        if self.folder.next() is None:
            self.check_all()
            return
        exercise, entry = course.load(self.id), self.folder.progress[self.id]
        say(f"{exercise.number:02} {exercise.title}", "title")
        say(f"Open {self.folder.files[self.id]}: {exercise.points} points, about {exercise.minutes} minutes.")
        if entry.attempts:
            say(f"You have tried it {times(entry.attempts)}.")
        say(f"It is checked {self.when}. {KEYS}")

    def survive(self, act: Callable, *arguments) -> None:
        """Do something, and say what is in the way of it where something is: a file that is away, say."""
        try:
            act(*arguments)
        except InputError as error:
            say(str(error), "error")

    def check(self, id: str) -> None:
        """Check an exercise, and go on to the next when it passes for the first time."""
        self.id, before = id, self.folder.progress[id].passed
        report = self.folder.check(id, self.sandbox)
        print()
        show(report_lines(report))
        if report.passed and not before:
            say(f"To compare yours with ours: npformer class solution {id}")
            print()
            self.next()

    def next(self) -> None:
        """Go to the next exercise that does not pass yet."""
        self.id = self.folder.next(after=self.id) or self.id
        self.begin()

    def check_all(self) -> None:
        """Check everything again before saying that all is done."""
        say("Everything is checked again ...")
        for id in self.folder.files:
            report = self.folder.check(id, self.sandbox)
            if not report.passed:
                self.folder.progress.take_back_pass(id)
                self.id = id
                show(report_lines(report))
                return
        say("All public checks passed, in every exercise.", "right")
        self.over = True

    def obey(self, key: str, ask: Callable[[str], str]) -> None:
        """Do what a key says."""
        match key.lower():
            case "n":
                self.next()
            case "h":
                hint(self.folder, self.id)
            case "w":
                why(self.folder, self.id, self.sandbox)
            case "l":
                show(exercises(self.folder))
            case "x":
                if ask(f"Give {self.id} back as it was? What you wrote stays next to it (y/n) ").lower() == "y":
                    path = self.folder.files[self.id]
                    old = self.folder.reset(self.id)
                    self.written = self.id
                    say(f"What you wrote is in {old} now." if old else f"{path} is as it was.")
                else:
                    say("It stays as it is.")
            case "c":
                self.check(self.id)
            case "q" | "\x03" | "\x04":
                self.over = True
            case _:
                show([Line("plain", 0, KEYS)])
        sys.stdout.flush()
