"""A class in a headless Chromium, offline: from the page that a teacher writes to the grades."""

import re

import pytest

from npformer.utils import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.exercise_selection import exercise_ids
from npformer_course.in_browser.site import PYODIDE, write_site
from npformer_course.percent_format import BEGIN, END
from npformer_course.submission import code_of, text_of
from tests.browser.course_pages import NEEDS_LITE, READY, RUN_CODE

pytestmark = pytest.mark.browser
SET = "feed_forward,masks,masked_softmax"
START_CODE = f"(code) => {{ window.outputs = ({RUN_CODE})(code) }}"
DELETE_STUB = """() => {
    const {cells} = jupyterapp.shell.currentWidget.content.model.sharedModel;
    const index = cells.findIndex((cell) => cell.source.includes("NotImplementedError"));
    jupyterapp.shell.currentWidget.content.model.sharedModel.deleteCell(index);
}"""
IMPORT = "from npformer_course.in_browser.hand_in import hand_in"


def test_a_class_writes_on_a_web_page_and_is_graded(visit, pyodide, tmp_path, command):
    site, out = tmp_path / "week", tmp_path / "submissions"
    release = [
        "course",
        "release",
        "--as",
        "site",
        "--set",
        SET,
        "--name",
        "A & B",
        "--offline",
        pyodide,
    ]
    assert command(*release, "--out", site).status == 0
    assert "<title>A &amp; B</title>" in (site / "index.html").read_text(encoding="utf-8")
    settings = (site / "lite/jupyter-lite.json").read_text(encoding="utf-8")
    assert '"./pyodide/pyodide.js"' in settings and PYODIDE not in settings

    # two notebooks are open at once, and their checks run at the same time
    pages = {"masks": visit(site / "lite", f"{stem('masks')}.ipynb")}
    pages["feed_forward"] = page = pages["masks"].context.new_page()
    page.goto(pages["masks"].url.replace(stem("masks"), stem("feed_forward")))
    page.wait_for_function(READY)
    for _ in range(2):
        for id, page in pages.items():
            code = f'\n\nfrom npformer_course import exercise\nexercise("{id}").check()'
            page.evaluate(START_CODE, course.load(id).key + code)
        for id, page in pages.items():
            [checked] = page.evaluate("() => window.outputs")
            points = course.load(id).points
            assert f"{points} of {points} points" in "".join(checked["data"]["text/plain"])
    for page in pages.values():
        page.evaluate(DELETE_STUB)
        page.evaluate('() => jupyterapp.commands.execute("docmanager:save")')

    page = pages["masks"]
    [error] = page.evaluate(RUN_CODE, f'{IMPORT}\nhand_in(" ")')
    assert "".join(error["traceback"]).startswith("InputError: hand_in got an empty name")
    [shown] = page.evaluate(RUN_CODE, f'{IMPORT}\nhand_in("Ada Lovelace")')
    shown = "".join(shown["data"]["text/html"])
    assert "Written: 2 of 3 exercises" in shown
    assert re.findall("<li>([^<]*)", shown) == [stem("feed_forward"), stem("masks")]
    with page.expect_download() as download:
        page.get_by_text("Download Ada Lovelace.zip").click()
    handed_in = tmp_path / "handed-in"
    download.value.save_as(handed_in / download.value.suggested_filename)

    assert command("course", "collect", handed_in, "--out", out).status == 0
    graded = command("course", "grade", out, "--set", SET, "--out", tmp_path / "results")
    points = sum(course.load(id).points for id in pages)
    out_of = sum(course.load(id).points for id in exercise_ids(SET))
    assert f"Ada Lovelace: {points} of {out_of}" in graded.out
    own = code_of(out / "Ada Lovelace" / f"{stem('masked_softmax')}.ipynb")
    assert "NotImplementedError" in text_of(own)

    solutions = []
    for id in (ids := exercise_ids(SET)):
        text = "\n".join(cell.text for cell in course.load(id).cells)
        solutions += re.findall(rf"{BEGIN}\n(.*?){END}", text, re.DOTALL)
    texts = [
        path.read_text(encoding="utf-8")
        for path in site.rglob("*")
        if path.suffix in (".html", ".ipynb", ".json")
    ]
    for line in {line.strip() for solution in solutions for line in solution.splitlines()}:
        assert any(line in course.load(id).stub for id in ids) or not any(
            line in text for text in texts
        )


@pytest.fixture
def needs_jupyterlite():
    pytest.importorskip("jupyterlite_pyodide_kernel", reason=NEEDS_LITE)


def test_site_by_default_loads_pyodide_from_one_address(needs_jupyterlite, tmp_path):
    write_site(tmp_path / "site", {"a.ipynb": "{}"}, title="A")
    settings = (tmp_path / "site/jupyter-lite.json").read_text(encoding="utf-8")
    assert f"{PYODIDE}/pyodide.js" in settings and '"adaptive-theme": true' in settings
    assert not (tmp_path / "site/pyodide").exists()
    # pages need no Mermaid or Vega; a fifth of this are the data sets and models that ship
    size = sum(path.stat().st_size for path in (tmp_path / "site").rglob("*"))
    assert size < 14e6
    with pytest.raises(InputError, match="exists already"):
        write_site(tmp_path / "site", {}, title="A")


def test_folder_without_pyodide_is_refused(needs_jupyterlite, tmp_path, refused):
    release = [
        "course",
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
