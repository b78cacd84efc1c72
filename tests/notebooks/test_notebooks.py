"""The course holds: every notebook runs, its two files agree, and what it shows fits a page:
pytest -m notebooks.
"""

import ast
import re
from pathlib import Path

import pytest

from npformer_course.order import NOTEBOOKS as CORE
from npformer_course.order import Detour, labels
from tests.notebooks.written import exercises_of, functions_asked, functions_to_write, with_claims

pytestmark = pytest.mark.notebooks
FOLDER = Path(__file__).parents[2] / "notebooks"
COURSE_PAGE = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]*_*.py"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
LESSONS = [path for path in NOTEBOOKS if "checkpoint" not in path.stem]
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])

WIDEST, LONGEST = 88, 14  # columns and lines of what a cell prints
LARGEST = 650_000  # bytes
FENCE = re.compile(r"^```(?:console|python|text)?$")
STARTS_A_LIST = re.compile(r"(?:[-+]|\d+\.) ")
OF_A_MACHINE = re.compile(
    r"/(?:home|root|work|tmp|Users|usr|opt|mnt)/\w|[A-Z]:\\\w|\b0x[0-9a-f]{6,}"
)


def in_order():
    """Return the notebooks and detours of the course, in order."""
    entries = []
    for notebook in CORE:
        entries += [notebook, *notebook.detours]
    return entries


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs_of(notebook):
    return [output for cell in code_of(notebook) for output in cell.outputs]


def printed(cell):
    """Return what a cell prints, with its last expression where that is neither picture nor page."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "stream":
            texts.append(output.text)
        elif set(data) == {"text/plain"}:
            texts.append(data["text/plain"])
    return "\n".join(texts)


@every_notebook
def test_text_and_notebook_have_the_same_cells(path, maker):
    text, notebook = (maker.read(path.with_suffix(ending)) for ending in (".py", ".ipynb"))
    assert [(cell.cell_type, cell.source) for cell in text.cells] == [
        (cell.cell_type, cell.source) for cell in notebook.cells
    ], f"run  python tools/make.py {path.stem}"


@every_notebook
def test_notebook_runs_with_nothing_written_and_its_claims_hold(path, maker):
    notebook = maker.run(with_claims(maker.read(path), path.stem), FOLDER)
    assert not [output for output in outputs_of(notebook) if output.get("name") == "stderr"]
    for cell in code_of(notebook):  # what helpers.compare prints of a number that is another
        assert not re.search(r"^.*: you .*, here ", printed(cell), re.MULTILINE), cell.source


@every_notebook
def test_functions_to_write_are_those_of_the_exercises(path, maker):
    stubs = set()
    for exercise in exercises_of(path.stem):
        stubs.update(ast.unparse(stub) for stub in functions_asked(exercise).values())
    for _, node in functions_to_write(maker.read(path)):
        assert ast.unparse(node) in stubs, node.name


@every_notebook
def test_notebook_file_equals_output_of_make(path, maker):
    written = path.with_suffix(".ipynb").read_text(encoding="utf-8")
    same = written == maker.as_text(maker.read(path.with_suffix(".ipynb")))
    assert same, f"run  python tools/make.py {path.stem}"
    assert len(written) < LARGEST
    assert "jupytext_version" not in path.read_text(encoding="utf-8")


@every_lesson
def test_notebook_shows_pictures_and_no_error(path, maker):
    outputs = outputs_of(maker.read(path.with_suffix(".ipynb")))
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [
        output
        for output in outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


@every_notebook
def test_code_cells_were_run_in_order(path, maker):
    counts = [cell.execution_count for cell in code_of(maker.read(path.with_suffix(".ipynb")))]
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_printed_output_fits_the_page(path, maker):
    for cell in code_of(maker.read(path.with_suffix(".ipynb"))):
        lines = printed(cell).splitlines()
        assert len(lines) <= LONGEST, cell.source
        assert max(map(len, lines), default=0) <= WIDEST, cell.source


@every_notebook
def test_notebook_has_no_machine_specific_text(path, maker):
    notebook = maker.read(path.with_suffix(".ipynb"))
    texts = [cell.source for cell in notebook.cells]
    for output in outputs_of(notebook):
        data = output.get("data", {})
        texts += [
            output.get("text", ""),
            *(data[kind] for kind in data if not kind.startswith("image/")),
        ]
    for text in texts:
        assert not OF_A_MACHINE.search(text), OF_A_MACHINE.search(text).group()


@every_notebook
def test_prose_has_whole_fences_and_no_list_item_in_a_formula(path, maker):
    for cell in maker.read(path).cells:
        if cell.cell_type != "markdown":
            continue
        n_dollars = 0
        for line in cell.source.splitlines():
            assert "```" not in line or FENCE.match(line), line
            assert n_dollars % 2 == 0 or not STARTS_A_LIST.match(line), line
            n_dollars += line.replace("$$", "").count("$")


@every_lesson
def test_each_question_has_a_folded_answer(path, maker):
    prose = "\n".join(
        cell.source for cell in maker.read(path).cells if cell.cell_type == "markdown"
    )
    questions = len(re.findall(r"^\*\*(?:\d|Question)\.\*\* ", prose, re.MULTILINE))
    for mark in ("<details>", "<summary>Answer</summary>", "</details>"):
        assert prose.count(mark) == questions, mark


@every_notebook
def test_course_page_lists_notebook_with_number_title_and_minutes(path):
    text = path.read_text(encoding="utf-8").replace("\n# ", " ")
    minutes = re.search(r"About (\d+) minutes with its writing|(\d+) with every change", text)
    [entry] = [entry for entry in in_order() if f"{labels()[entry.name]}_{entry.name}" == path.stem]
    title = entry.title + (" (detour)" if type(entry) is Detour else "")
    row = f"| {path.stem[:3].strip('_')} | [{title}]({path.stem}.ipynb) | "
    [found] = [line for line in COURSE_PAGE if line.startswith(row)]
    assert found.endswith(f" | {minutes[1] or minutes[2]} |")


@every_notebook
def test_heading_is_number_and_title_of_the_order(path):
    titles = {labels()[entry.name]: entry.title for entry in in_order()}
    number = path.stem.partition("_")[0]
    assert f"\n# # {number} {titles[number]}\n" in path.read_text(encoding="utf-8")


def test_notebooks_and_course_page_are_in_the_order_of_the_course():
    names = [f"{labels()[entry.name]}_{entry.name}" for entry in in_order()]
    assert [path.stem for path in NOTEBOOKS] == sorted(names)
    listed = re.findall(r"^\| \d\d\w? \| \[.*?\]\((\w+)\.ipynb\)", "\n".join(COURSE_PAGE), re.M)
    assert listed == names


def test_every_notebook_has_a_text_file():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {path.stem for path in NOTEBOOKS}
