"""A student's folder: one file per exercise, the progress, and a page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, write_atomic

from .. import course
from ..case import case_at
from ..check_answer import check
from ..exercise import Exercise
from ..files import student_notebook, student_text
from ..percent_format import functions_in
from ..report import Report
from ..sandbox.runner import Sandbox
from ..submission import SUFFIXES, answer_in, code_of, prediction_of
from .progress import NAME, Entry, Progress

SEED = 0
README = """\
# Write the Transformer yourself

{n} exercises. Each says what to write and why; you need linear algebra, derivatives and some NumPy. "The paper" is
*Attention Is All You Need* (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762). The notebooks that an exercise
names are in the folder `notebooks` of npformer's source.

{how}

Once an exercise passes, {solution} shows ours, to compare with yours.
`npformer course list` shows how far you are, and `npformer course reset ID` gives an exercise back as it was; an ID is a
number or a name, such as 3 or softmax. What you have passed is noted in {progress}.
"""
HOW_FILES = """Type `npformer course` in this folder and open the file that it names in an editor. At every save it is
checked: what is right, what is wrong, and often which mistake it is. `npformer course hint` opens a hint, and
`npformer course why` says more about what is wrong. `npformer course check ID --mine` runs an exercise on your own
earlier answers, and `npformer course train` shows how a model learns with them."""
HOW_NOTEBOOKS = """Open a notebook in JupyterLab or VS Code and run its cells from the top. The cell below yours checks
it: what is right, what is wrong, and often which mistake it is. With `.hint()` in place of `.check()` it opens a hint,
with `.why()` it says more about what is wrong."""
OWN = """
_own = {{}}
exec({code!r}, _own)
for _name in {names}:
    _own[_name].__defaults__ = _own[_name].__defaults__ or globals()[_name].__defaults__
    globals()[_name] = _own[_name]
"""
SOLUTION = {False: "`npformer course solution ID`", True: "`.solution()`"}


def start(folder: Path, ids: Sequence[str] = (), *, notebooks: bool = False) -> list[Path]:
    """Write a student's folder and return its exercises' files.

    Raises `InputError` where one of the files is there already: nothing is written over.
    """
    chosen = [
        course.load(id) for id in dict.fromkeys(course.load(id).id for id in ids or course.ids())
    ]
    suffix = SUFFIXES[notebooks]
    targets = [folder / f"{course.stem(exercise.id)}{suffix}" for exercise in chosen]
    for path in [*targets, folder / "README.md"]:
        if path.exists():
            raise InputError(
                f"{path} exists already: name a new folder, or reset one exercise in this one"
            )
    make_folder(folder)
    for exercise, path in zip(chosen, targets, strict=True):
        write_atomic(path, _untouched(path, exercise))
    how = HOW_NOTEBOOKS if notebooks else HOW_FILES
    page = README.format(n=len(chosen), how=how, solution=SOLUTION[notebooks], progress=NAME)
    write_atomic(folder / "README.md", page)
    Progress(folder).write()
    return targets


def _untouched(path: Path, exercise: Exercise) -> str:
    """Return what a student gets in the file of an exercise, a notebook where its name ends so."""
    return student_notebook(exercise) if path.suffix == ".ipynb" else student_text(exercise)


class Folder:
    """A student's folder that is there already. Raises `InputError` where there is no exercise in it."""

    def __init__(self, path: Path = Path()):
        self.path = path
        self.files = {id: file for id in course.ids() if (file := answer_in(path, id))}
        if not self.files:
            raise InputError(
                f"{path.resolve()} holds no exercise: go to the folder that npformer course start wrote"
            )
        self.progress = Progress(path)

    def chosen(self, name: str | None) -> str:
        """Return the id that a name or number stands for, or without one the exercise to do next."""
        if name is None:
            return self.next() or next(reversed(self.files))
        id = course.load(Path(name).stem).id
        if id not in self.files:
            raise InputError(
                f"{course.stem(id)} is not in this folder: npformer course reset {id} writes it"
            )
        return id

    def next(self, after: str | None = None) -> str | None:
        """Return the first exercise that is not passed (the first after one named, if there is), or None."""
        waiting = [id for id in self.files if not self.progress[id].passed]
        ids = list(self.files)
        later = [id for id in waiting if after in self.files and ids.index(id) > ids.index(after)]
        return next(iter([*later, *waiting]), None)

    def check(self, id: str, sandbox: Sandbox, *, record: bool = True) -> Report:
        """Check an exercise, and note it in the progress."""
        report = check_file(self.files[id], id, sandbox)
        if record:
            self.progress.note(report)
        return report

    def reset(self, id: str) -> Path | None:
        """Write an exercise as it was; return where what was written lies now, None where there was nothing.

        That is next to it, with .old at the end of its name, or .old2 and so on: nothing is written over.
        """
        path, exercise = (
            self.files.get(id) or self.path / f"{course.stem(id)}{SUFFIXES[0]}",
            course.load(id),
        )
        if path.is_dir():
            raise InputError(f"{path} is a folder: move it away")
        old = None
        if path.exists() and path.read_bytes() != _untouched(path, exercise).encode():
            names = (path.with_name(f"{path.name}.old{n if n > 1 else ''}") for n in count(1))
            old = path.rename(next(name for name in names if not name.exists()))
        write_atomic(path, _untouched(path, exercise))
        self.progress.write(**{id: Entry()})
        return old


def check_file(
    path: Path, id: str, sandbox: Sandbox, *, seed: int = SEED, more: str = ""
) -> Report:
    """Check a file with an answer to an exercise; `more` is code below it."""
    code = code_of(path)
    return replace(
        check(case_at(id, seed), code + more, sandbox.run), predicted=prediction_of(code)
    )


def own_functions(folder: Path, id: str, sandbox: Sandbox) -> tuple[str, str]:
    """Return code that replaces what an exercise gives by the student's own, and a line that says what it replaces.

    Those are the functions with the same name and arguments in earlier exercises of the folder, if they pass.
    """
    code, own, ours, arguments = "", [], [], _arguments(course.load(id), to_write=False)
    for earlier in course.ids()[: course.load(id).number]:
        earlier_arguments, path = (
            _arguments(course.load(earlier), to_write=True),
            answer_in(folder, earlier),
        )
        if names := [name for name in arguments if arguments[name] == earlier_arguments.get(name)]:
            if passes := path and check_file(path, earlier, sandbox).passed:
                code += OWN.format(code=code_of(path), names=names)
            (own if passes else ours).append(f"{', '.join(names)} ({course.stem(earlier)})")
    missing = (
        f" As given, since yours is missing or does not pass: {', '.join(ours)}." if ours else ""
    )
    return code, f"Given functions that are yours: {', '.join(own) or 'none'}.{missing}"


def _arguments(exercise: Exercise, *, to_write: bool) -> dict[str, list[str]]:
    """Return the arguments of the functions that an exercise gives, or of those `to_write`."""
    functions = [
        f
        for f in functions_in(exercise.key)
        if (f.name not in exercise.given_functions) is to_write
    ]
    return {
        f.name: [argument.arg for argument in f.args.args] for f in functions if not f.col_offset
    }
