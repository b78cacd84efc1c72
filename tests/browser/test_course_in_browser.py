"""The course in a headless Chromium, offline: notebooks and exercises."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer_course import course
from npformer_course.course import stem
from npformer_course.format_report import report_lines
from npformer_course.sandbox.runner import Sandbox
from npformer_course.student.folder import check_file
from npformer_course.student.notebook import CellOutput
from tests.browser.course_pages import RUN_ALL, RUN_CODE

pytestmark = pytest.mark.browser
ROOT = Path(npf.__file__).parents[1]
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
WRONG = "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum()\n"
ANSWERS = {
    "right": course.load("softmax").key,
    "wrong": WRONG,
    "endless loop": "def softmax(x):\n    while True:\n        pass\n",
    "prints much": 'def softmax(x):\n    for i in range(1500):\n        print("line", i)\n    return x\n',
}


@pytest.fixture(scope="module")
def lite(tmp_path_factory, pyodide, trained_run):
    """The part of the site that runs in the browser, as tools/browser_course.py writes it, with a
    tiny run.
    """
    specification = importlib.util.spec_from_file_location("lite", ROOT / "tools/browser_course.py")
    specification.loader.exec_module(module := importlib.util.module_from_spec(specification))
    out = tmp_path_factory.mktemp("site") / "lite"
    module.write(out, trained_run, offline=pyodide)
    return out


@pytest.fixture(scope="module")
def first_page(visit, lite):
    """The page of notebook 12 and its cells after a run of all; it takes long to start, so tests
    share it.
    """
    page = visit(lite, "notebooks/12_the_backward_of_each_layer.ipynb")
    start, *cells = page.evaluate(RUN_ALL)
    assert "Python is starting" in start["source"]
    return page, cells


def shown(outputs):
    """Return the texts of a cell's outputs, less what goes to standard error, and how many of
    them are pictures.
    """
    texts = [
        o.get("text") or o.get("data", {}).get("text/plain") or o.get("evalue", "") for o in outputs
    ]
    kept = [text for text, o in zip(texts, outputs, strict=True) if o.get("name") != "stderr"]
    return "\n".join(map("".join, kept)), sum("image/png" in o.get("data", {}) for o in outputs)


def assert_alike(ours, stored):
    """Compare two texts: the same words, and numbers to rounding."""
    ours, stored = (re.sub(r"0x[0-9a-f]+", "", text) for text in (ours, stored))
    assert NUMBER.sub("#", ours).split() == NUMBER.sub("#", stored).split()
    numbers = [np.array(NUMBER.findall(text), float) for text in (ours, stored)]
    np.testing.assert_allclose(*numbers, rtol=0.02, atol=1e-6)


def assert_outputs_are_the_repositorys(cells, name):
    stored = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell, before in zip(cells, stored, strict=True):
        (text, n), (text_before, n_before) = (
            shown(cell.get("outputs", ())),
            shown(before.get("outputs", ())),
        )
        assert_alike(text, text_before)
        assert n == n_before


def test_a_notebook_runs_to_the_end_with_the_repositorys_outputs(first_page):
    cells = first_page[1]
    assert_outputs_are_the_repositorys(cells, "12_the_backward_of_each_layer")
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output.get("name") == "stderr"]  # a pink box


def test_an_exercise_begins_and_ends_with_the_next_one(lite):
    path = lite / "files/exercises/06_add_norm.ipynb"
    first, *_, last = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in (first, last):
        assert (
            "Next: [" in cell["source"]
            and "[Hand in](../exercises/hand_in.ipynb)" in cell["source"]
        )


@pytest.mark.parametrize("name", ["02_attention_by_hand", "16_one_training_step"])
def test_more_notebooks_run_to_the_end(first_page, name):
    """Their cells run in the kernel of the first: another takes most of a minute to start."""
    page, _ = first_page
    cells = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = page.evaluate(RUN_CODE, "".join(cell["source"]))
    assert_outputs_are_the_repositorys(cells, name)


def test_answers_are_checked_with_the_words_of_a_terminal(first_page, tmp_path):
    page, _ = first_page
    page.evaluate(
        RUN_CODE,
        'import os\nos.chdir("../exercises")\nimport numpy as np\nfrom npformer_course import exercise',
    )
    for name, code in ANSWERS.items():
        [*_, output] = page.evaluate(
            RUN_CODE, f'{code}\nprediction = ""\nexercise("softmax").check()'
        )
        path = tmp_path / f"{stem('softmax')}.py"
        path.write_text(f"import numpy as np\n{code}", encoding="utf-8")
        report = check_file(path, "softmax", Sandbox())
        assert "".join(output["data"]["text/plain"]) == repr(CellOutput([*report_lines(report)])), (
            name
        )
    [progress] = page.evaluate(RUN_CODE, 'print(open("progress.json").read())')
    assert json.loads(progress["text"])["softmax"]["attempts"] == len(ANSWERS)


def test_the_run_of_the_site_shows_its_attention_and_what_is_not_for_the_browser_says_so(
    first_page,
):
    page, _ = first_page
    code = """import npformer as npf
from npformer.visualization import sentence_attention
from npformer.visualization.viewer import AttentionViewer
translator = npf.load("../runs/phrasebook")
AttentionViewer(sentence_attention(translator, "the dog sleeps ."))"""
    [viewer] = page.evaluate(RUN_CODE, code)
    assert (
        "AttentionViewer(" in "".join(viewer["data"]["text/plain"])
        and "text/html" in viewer["data"]
    )
    code = """from npformer.evaluation import bleu_and_chrf
from npformer.text import BPEVocabulary
print(bleu_and_chrf(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"]).bleu)
print(*BPEVocabulary.build(["Mann", "ein Mann"], size=300).split("Mann, ein"))"""
    [found] = page.evaluate(RUN_CODE, code)
    assert_alike(found["text"], "96.22\nmann⇧ ‿ , ▁ e i n ▁\n")
    for code, refused in {
        'npf.runs.begin("reverse", workers=2)': "training with 2 workers is not for the browser",
        "from npformer.datasets.published import multi30k\nmulti30k.load()": "pooch is not installed: it is not for",
    }.items():
        [*_, error] = page.evaluate(RUN_CODE, code)
        assert refused in error["evalue"]
