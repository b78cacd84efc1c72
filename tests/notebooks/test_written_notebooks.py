"""The notebooks run with all cells written, and with some written wrong: pytest -m long."""

import pytest

from tests.notebooks.test_notebooks import FOLDER, NOTEBOOKS, code_of, printed
from tests.notebooks.written import answers_to, with_claims, written

pytestmark = pytest.mark.long
with_cells_to_write = pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if answers_to(path.stem)[1]], ids=lambda path: path.stem
)


@with_cells_to_write
def test_notebook_runs_with_all_written(path, maker):
    notebook = maker.run(with_claims(written(maker.read(path), path.stem), path.stem), FOLDER)
    said = "\n".join(printed(cell) for cell in code_of(notebook))
    assert "continues with npformer's" not in said


@with_cells_to_write
def test_notebook_runs_with_parts_wrong(path, maker):
    _, wrong = answers_to(path.stem)
    notebook = maker.run(written(maker.read(path), path.stem, wrong), FOLDER)
    said = "\n".join(printed(cell) for cell in code_of(notebook))
    n_wrong = sum(line.count("continues with npformer's") for line in said.split("\n"))
    assert 1 <= n_wrong <= len(wrong) <= 3
