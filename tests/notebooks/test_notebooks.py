"""The course holds: every notebook runs, its two files agree, and what it shows fits a page:
pytest -m notebooks.
"""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.notebooks
FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]*_*.py"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])

WIDEST, LONGEST = 88, 14  # columns and lines of what a cell prints
LARGEST = 600_000  # bytes
OF_A_MACHINE = re.compile(
    r"/(?:home|root|work|tmp|Users|usr|opt|mnt)/\w|[A-Z]:\\\w|\b0x[0-9a-f]{6,}"
)


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
def test_notebook_runs_without_stderr(path, maker):
    notebook = maker.executed(path)
    assert not [output for output in outputs_of(notebook) if output.get("name") == "stderr"]


@every_notebook
def test_notebook_file_equals_output_of_make(path, maker):
    written = path.with_suffix(".ipynb").read_text(encoding="utf-8")
    same = written == maker.as_text(maker.read(path.with_suffix(".ipynb")))
    assert same, f"run  python tools/make.py {path.stem}"
    assert len(written) < LARGEST
    assert "jupytext_version" not in path.read_text(encoding="utf-8")


@every_notebook
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
def test_each_question_has_a_folded_answer(path, maker):
    prose = "\n".join(
        cell.source for cell in maker.read(path).cells if cell.cell_type == "markdown"
    )
    questions = len(re.findall(r"^\*\*(?:\d|Question)\.\*\* ", prose, re.MULTILINE))
    assert questions >= 3
    for mark in ("<details>", "<summary>Answer</summary>", "</details>"):
        assert prose.count(mark) == questions, mark


@every_notebook
def test_notebook_contains_assertions(path, maker):
    code = "\n".join(cell.source for cell in code_of(maker.read(path)))
    assert re.search(r"^ *assert ", code, re.MULTILINE)


@every_notebook
def test_notebook_is_listed_in_course_readme_with_its_minutes(path):
    text = path.read_text(encoding="utf-8").replace("\n# ", " ")
    minutes = re.search(
        r"About (\d+) minutes to read and run, (\d+) with every change and question", text
    ).groups()
    rows = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    [row] = [row for row in rows if f"({path.stem}.ipynb)" in row]
    assert row.endswith("| {} | {} |".format(*minutes))


def test_every_notebook_has_a_text_file():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {path.stem for path in NOTEBOOKS}
