"""A student's folder: one file per exercise, the progress, and a page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, write_atomic

from .. import course
from ..case import case_at
from ..check_answer import check
from ..definition import Exercise
from ..files import student_notebook, student_text
from ..percent_format import functions_in
from ..report import Report
from ..sandbox.runner import Sandbox
from ..submission import SUFFIXES, answer_in, code_of, prediction_of
from .progress import NAME, Entry, Progress

SEED = 0
README = """\
# Write the Transformer yourself

{n} exercises. Each says what to write and why; you need linear algebra, derivatives and some NumPy.
"The paper" is *Attention Is All You Need* (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).
The notebooks that an exercise names are in the folder `notebooks` of npformer's source.

{how}

Once an exercise passes, {solution} shows ours, to compare with yours.
`npformer course list` shows how far you are, and `npformer course reset ID` gives an exercise back
as it was; an ID is a name, such as softmax. What you have passed is noted in {progress}.
"""
HOW_FILES = """\
Type `npformer course` in this folder and open the file that it names in an editor. At every save it
is checked: what is right, what is wrong, and often which mistake it is. `npformer course hint`
opens a hint, and `npformer course why` says more about what is wrong, with the hint that fits.
`npformer course check ID --mine` runs an exercise on your own earlier answers. Many exercises are
parts of one model: `npformer course translate` runs a translator with yours, and `npformer course
train` trains with them."""
HOW_NOTEBOOKS = """\
Open a notebook in JupyterLab or VS Code and run its cells from the top. The cell below yours checks
it: what is right, what is wrong, and often which mistake it is. With `.hint()` in place of
`.check()` it opens a hint, with `.why()` it says more about what is wrong."""
# a given function may have a default where the exercise asks for none
OWN = """
from npformer_course.definition import module_of as _module_of
from npformer_course.student.defaults import take_defaults as _take_defaults
_own = vars(_module_of({code!r}, "earlier"))
for _name in {names}:
    _take_defaults(_own[_name], globals()[_name])
    globals()[_name] = _own[_name]
"""


def start(folder: Path, ids: Sequence[str] = (), *, notebooks: bool = False) -> list[Path]:
    """Write a student's folder and return its exercises' files.

    Raises `InputError` where one of the files exists already: nothing is overwritten.
    """
    chosen = []
    for id in ids or course.EXERCISES:
        exercise = course.load(id)
        if exercise not in chosen:
            chosen.append(exercise)
    suffix = ".ipynb" if notebooks else ".py"
    targets = []
    for exercise in chosen:
        targets.append(folder / f"{course.stem(exercise.id)}{suffix}")
    # all are looked at before any is written, so that a refusal leaves nothing behind
    for path in [*targets, folder / "README.md"]:
        if path.exists():
            raise InputError(
                f"{path} exists already: name a new folder, or reset one exercise in this one"
            )

    progress = Progress(folder)  # read first: a file of another form is refused
    make_folder(folder)
    for exercise, path in zip(chosen, targets, strict=True):
        write_atomic(path, _untouched(path, exercise))
    if notebooks:
        how = HOW_NOTEBOOKS
        solution = "`.solution()`"
    else:
        how = HOW_FILES
        solution = "`npformer course solution ID`"
    page = README.format(n=len(chosen), how=how, solution=solution, progress=NAME)
    write_atomic(folder / "README.md", page)
    progress.write()
    return targets


def _untouched(path: Path, exercise: Exercise) -> str:
    """Return what a student gets in the file of an exercise, a notebook if its name ends so."""
    return student_notebook(exercise) if path.suffix == ".ipynb" else student_text(exercise)


class Folder:
    """A student's folder that exists. Raises `InputError` where there is no exercise in it."""

    def __init__(self, path: Path = Path()):
        self.path = path
        self.files = {}
        for id in course.EXERCISES:
            file = answer_in(path, id)
            if file:
                self.files[id] = file
        if not self.files:
            raise InputError(
                f"{path.resolve()} holds no exercise: "
                "go to the folder that npformer course start wrote"
            )
        self.progress = Progress(path)

    def chosen(self, name: str | None) -> str:
        """Return the id of an exercise by its name, number or file; by default of the next."""
        if name is None:
            return self.next() or list(self.files)[-1]
        # not every name with a dot is a file's: 7.5 is not exercise 7
        path = Path(name)
        id = course.find(path.stem if path.suffix in SUFFIXES else name)
        if id not in self.files:
            raise InputError(
                f"{course.stem(id)} is not in this folder: npformer course reset {id} writes it"
            )
        return id

    def next(self, after: str | None = None) -> str | None:
        """Return the first exercise that is not passed, or None.

        If there is one after the exercise `after`, it is the first of those.
        """
        ids = list(self.files)
        # the exercises after it, then those before it, and at last the exercise itself
        if after in ids:
            place = ids.index(after) + 1
            ids = ids[place:] + ids[:place]
        for id in ids:
            if not self.progress[id].passed:
                return id
        return None

    def check(self, id: str, sandbox: Sandbox, *, record: bool = True) -> Report:
        """Check an exercise, and note it in the progress."""
        report = check_file(self.files[id], id, sandbox)
        if record:
            self.progress.note(report)
        return report

    def reset(self, id: str) -> Path | None:
        """Write an exercise as it was; return where the student's text is now.

        It is next to it, with .old at the end of its name, or .old2 and so on: nothing is
        overwritten. Returns None where there was nothing.
        """
        exercise = course.load(id)
        path = self.files.get(id, self.path / f"{course.stem(id)}.py")
        if path.is_dir():
            raise InputError(f"{path} is a folder: move it away")
        old = None
        if path.exists() and path.read_bytes() != _untouched(path, exercise).encode():
            old = path.rename(_free_name(path))
        write_atomic(path, _untouched(path, exercise))
        self.progress.write(**{id: Entry()})
        return old


def _free_name(path: Path) -> Path:
    """Return a name that ends in .old, .old2 and so on, and is free."""
    free = path.with_name(f"{path.name}.old")
    n = 1
    while free.exists():
        n += 1
        free = path.with_name(f"{path.name}.old{n}")
    return free


def check_file(
    path: Path, id: str, sandbox: Sandbox, *, seed: int = SEED, more: str = ""
) -> Report:
    """Check a file with an answer to an exercise; `more` is code below it."""
    code = code_of(path)
    whole = code + more if isinstance(code, str) else (*code, more)
    report = check(case_at(id, seed), whole, sandbox.run)
    return replace(report, predicted=prediction_of(code), failed_cells=sandbox.failed_cells)


def own_functions(folder: Path, id: str, sandbox: Sandbox) -> tuple[str, str]:
    """Return code that replaces the functions that an exercise gives by the student's own.

    Those are the functions with the same name and arguments in earlier exercises of the folder, if
    they pass. Returns also a line that says what is replaced.
    """
    # an answer that does not pass would spoil this check
    code = ""
    own = []
    ours = []
    given = arguments_of(course.load(id), to_write=False)
    for earlier in course.EXERCISES[: course.EXERCISES.index(id)]:
        written = arguments_of(course.load(earlier), to_write=True)
        names = [name for name in given if given[name] == written.get(name)]
        if not names:
            continue
        path = answer_in(folder, earlier)
        what = f"{', '.join(names)} ({course.stem(earlier)})"
        if path and check_file(path, earlier, sandbox).passed:
            code += OWN.format(code=code_of(path), names=names)
            own.append(what)
        else:
            ours.append(what)

    line = f"Given functions that are yours: {', '.join(own) or 'none'}."
    if ours:
        line += f" As given, since yours is missing or does not pass: {', '.join(ours)}."
    return code, line


def arguments_of(exercise: Exercise, *, to_write: bool) -> dict[str, list[str]]:
    """Return the arguments of the functions that an exercise gives, or of those `to_write`."""
    arguments = {}
    for function in functions_in(exercise.key):
        is_to_write = function.name not in exercise.given_functions
        is_at_margin = function.col_offset == 0
        if is_at_margin and is_to_write == to_write:
            arguments[function.name] = [argument.arg for argument in function.args.args]
    return arguments
