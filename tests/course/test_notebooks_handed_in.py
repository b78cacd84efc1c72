"""What is right in a notebook is right when it is handed in, and other files are refused."""

import base64
import io
import json
import re
import zipfile

import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.course import load, stem
from npformer_course.files import notebook, student_notebook, student_text
from npformer_course.in_browser.hand_in import hand_in
from npformer_course.percent_format import Cell
from npformer_course.submission import code_of
from tests.run_here import key_text

ID = "softmax"
IMPORT = "from npformer_course import exercise"


@pytest.fixture
def written(tmp_path):
    """Write a notebook with these cells of code; return its path."""

    def write(*sources):
        cells = [{"cell_type": "markdown", "source": "# Text"}]
        cells += [{"cell_type": "code", "source": source} for source in sources]
        (tmp_path / f"{stem('softmax')}.ipynb").write_text(json.dumps({"cells": cells}))
        return tmp_path / f"{stem('softmax')}.ipynb"

    return write


@pytest.mark.parametrize(
    "more",
    [
        f"{IMPORT}\n\nexercise('softmax').check()",
        f"{IMPORT}\nresult = exercise('softmax').check()\nprint(result)",
        f"{IMPORT}\nexercise(\n    'softmax'\n).check()",
        "np.exp?\n?np.exp\n%matplotlib inline\n!ls\ndisplay(np.zeros(2))",
        "%%html\n<b>bold</b>",
        "%time y = softmax(np.zeros(3))\nassert y.shape == (3,)\n%timeit softmax(np.zeros(3))",
        f"{IMPORT}\nsoftmax = exercise('softmax').check(softmax)",
        f"{IMPORT}\nexercise('softmax').check(softmax)",
        f"{IMPORT}\nsoftmax, other = exercise('softmax').check(softmax, None)\nassert other is None",
        f"{IMPORT}\nblank = exercise('softmax').on(x=np.zeros(3))\ny = blank.check(y=np.ones(3))\n"
        "blank.check(y=y)\nassert y.sum() == 3",
        "from npformer_course import Bet, bets_so_far\nbet = Bet('?', ['a', 'b'])\nbet.place('b')\n"
        "bet.settle('a')\nbets_so_far()",
        "left = (\n    7\n    % 4\n    != 2\n)\nassert left is True",
    ],
)
def test_additional_notebook_cells_lose_no_points(written, sandbox, more):
    sources = [f"%%time\n{key_text(course.load(ID))}"], more, more.splitlines(True)
    report = check(case_at(ID, 0), code_of(written(*sources)), sandbox.run)
    assert report.passed, [(part.name, part.finding.text) for part in report.parts]


def test_wrong_answer_stays_wrong_where_a_notebook_replaced_it(written, sandbox):
    mistake = course.load(ID).mistakes[0]
    checked = f"{IMPORT}\nsoftmax = exercise('softmax').check(softmax)"
    report = check(
        case_at(ID, 0), code_of(written(course.load(ID).mistaken(mistake), checked)), sandbox.run
    )
    findings = [part.finding.id for part in report.parts if part.outcome == "wrong"]
    assert findings == [mistake.id]


@pytest.mark.parametrize("source", [None, 5, ["x = 1", 2], {"a": 1}])
def test_cell_that_is_not_text_is_reported(written, source):
    with pytest.raises(
        InputError,
        match=rf"{stem('softmax')}.ipynb is no notebook: expected the source of each cell as text",
    ):
        code_of(written("x = 1", source))


def test_answers_kept_by_notebooks_of_the_course_are_handed_in(monkeypatch, tmp_path):
    pytest.importorskip("IPython", reason='IPython is missing: pip install -e ".[notebooks]"')
    exercises, kept = tmp_path / "exercises", tmp_path / "notebooks" / "my-transformer"
    exercises.mkdir()
    kept.mkdir(parents=True)
    monkeypatch.chdir(exercises)
    (exercises / "progress.json").write_text("{}")
    for id in ("softmax", "layer_norm", "linear"):
        (exercises / f"{stem(id)}.ipynb").write_text(student_notebook(load(id)))
    (kept / f"{stem('softmax')}.py").write_text(load("softmax").key)
    # begun in the notebook of the course, and finished in that of the exercise
    (kept / f"{stem('linear')}.py").write_text(student_text(load("linear")))
    (exercises / f"{stem('linear')}.ipynb").write_text(notebook([Cell(load("linear").key)]))

    shown = hand_in("Ada").data
    assert "Written: 2 of 3 exercises" in shown
    [data] = re.findall('base64,([^"]*)', shown)
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(data)))
    names = {f"{stem('softmax')}.py", f"{stem('layer_norm')}.ipynb", f"{stem('linear')}.ipynb"}
    assert set(archive.namelist()) == {*names, "progress.json"}
    assert archive.read(f"{stem('softmax')}.py").decode() == load("softmax").key
