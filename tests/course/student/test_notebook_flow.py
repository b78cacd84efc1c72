"""A notebook with cells to write runs from top to bottom, whatever is written in them."""

import pytest

pytestmark = pytest.mark.notebooks

SETUP = """
import numpy as np
from npformer_course import exercise

dy = np.arange(24.0).reshape(2, 3, 4) % 5
gain = np.array([1.0, 2.0, 3.0, 4.0])
x = np.cos(dy)
rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
xhat = (x - x.mean(-1, keepdims=True)) * rstd
"""
CHECK = 'softmax = exercise("softmax").check(softmax)'
USE = "softmax(np.array([0.0, np.log(3)]))"
BLANK = 'blank = exercise("layer_norm_backward").on(dy=dy, xhat=xhat, rstd=rstd, gain=gain)'
CHECK_BLANK = "dxhat = blank.check(dxhat=dxhat)\nprint(np.array_equal(dxhat, dy * gain))"
FULL = 'print(exercise("softmax").check())'
MISUSE = 'exercise("softmax").check(lambda x: x)'

UNWRITTEN = "def softmax(x):\n    raise NotImplementedError  # your lines go here"
RIGHT = """
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
REPLACED = "the notebook continues with npformer's"


@pytest.fixture
def outputs_of(tmp_path):
    """Run cells in a kernel; return the texts of each cell's output."""
    nbclient = pytest.importorskip("nbclient", reason='needs pip install -e ".[notebooks]"')
    nbformat = pytest.importorskip("nbformat", reason='needs pip install -e ".[notebooks]"')

    def outputs_of(*sources):
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in sources]
        resources = {"metadata": {"path": tmp_path}}
        nbclient.NotebookClient(notebook, allow_errors=True, resources=resources).execute()
        return [text_of(cell.outputs) for cell in notebook.cells]

    return outputs_of


def text_of(outputs):
    text = ""
    for output in outputs:
        if output.output_type == "stream":
            text += output.text
        elif output.output_type == "error":
            text += "\n".join(output.traceback)
        else:
            text += output.data["text/plain"]
    return text


@pytest.mark.filterwarnings("ignore")  # of the kernel's client
@pytest.mark.parametrize(
    ("written", "line", "softmax", "points", "dxhat"),
    [
        (
            UNWRITTEN,
            "dxhat = ...",
            f"softmax: not written yet, 0 of 10 points; {REPLACED} softmax\n",
            0,
            f"dxhat: not written yet; {REPLACED} dxhat\nTrue\n",
        ),
        (
            RIGHT,
            "dxhat = dy * gain",
            "softmax: right, 10 of 10 points\n",
            10,
            "dxhat: right\nTrue\n",
        ),
        (
            RIGHT.replace("x.max(-1, keepdims=True)", "x.max()"),
            "dxhat = dy",
            f"softmax: wrong, 6 of 10 points; {REPLACED} softmax\n",
            6,
            f"dxhat: wrong; {REPLACED} dxhat\n  dxhat is dy, unchanged\n",
        ),
    ],
    ids=["nothing written", "all written", "wrong"],
)
def test_notebook_runs_to_its_end(written, line, softmax, points, dxhat, outputs_of):
    cells = [SETUP, written, CHECK, USE, BLANK, line, CHECK_BLANK, FULL, CHECK]
    _, _, checked, used, blank, _, checked_blank, full, again = outputs_of(*cells)
    assert checked.startswith(softmax) and again == checked
    assert used == "array([0.25, 0.75])"
    assert blank == ""
    assert checked_blank.startswith(dxhat) and checked_blank.endswith("True\n")
    assert f"03 Softmax: {points} of 10 points" in full


@pytest.mark.filterwarnings("ignore")  # of the kernel's client
def test_error_of_a_notebook_is_one_line(outputs_of):
    _, misuse, unknown, blank = outputs_of(
        SETUP, MISUSE, 'exercise("nothing")', f"{BLANK}\nblank.check(dz=dy)"
    )
    assert misuse.startswith("InputError: exercise softmax got <lambda>: expected softmax")
    assert unknown.startswith("InputError: there is no exercise 'nothing'")
    assert blank.startswith("InputError: exercise layer_norm_backward got dz to check")
    assert "\n" not in misuse + unknown + blank
