"""What is right in a notebook is right when it is handed in, and other files are refused."""

import json

import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.submission import code_of
from tests.run_here import key_text

ID = "softmax"


@pytest.fixture
def written(tmp_path):
    """Write a notebook with these cells of code; return its path."""

    def write(*sources):
        cells = [{"cell_type": "markdown", "source": "# Text"}]
        cells += [{"cell_type": "code", "source": source} for source in sources]
        (tmp_path / "03_softmax.ipynb").write_text(json.dumps({"cells": cells}))
        return tmp_path / "03_softmax.ipynb"

    return write


@pytest.mark.parametrize(
    "more",
    [
        "from npformer_course import exercise\n\nexercise('softmax').check()",
        "from npformer_course import exercise\nresult = exercise('softmax').check()\nprint(result)",
        "from npformer_course import exercise\nexercise(\n    'softmax'\n).check()",
        "np.exp?\n?np.exp\n%matplotlib inline\n!ls\ndisplay(np.zeros(2))",
        "%%html\n<b>bold</b>",
        "left = (\n    7\n    % 4\n    != 2\n)\nassert left is True",
    ],
)
def test_additional_notebook_cells_lose_no_points(written, sandbox, more):
    sources = [f"%%time\n{key_text(course.load(ID))}"], more, more.splitlines(True)
    report = check(case_at(ID, 0), code_of(written(*sources)), sandbox.run)
    assert report.passed, [(part.name, part.finding.text) for part in report.parts]


@pytest.mark.parametrize("source", [None, 5, ["x = 1", 2], {"a": 1}])
def test_cell_that_is_not_text_is_reported(written, source):
    with pytest.raises(
        InputError,
        match=r"03_softmax.ipynb is no notebook: expected the source of each cell as text",
    ):
        code_of(written("x = 1", source))
