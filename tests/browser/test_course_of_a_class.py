"""A class in a headless Chromium, offline: from the page that a teacher writes to the grades."""

import re

import pytest

from npformer.utils import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.exercise_selection import exercise_ids
from npformer_course.in_browser.site import PYODIDE, write_site
from npformer_course.percent_format import BEGIN, END
from npformer_course.submission import code_of
from tests.browser.course_pages import NEEDS_LITE, RUN_CODE

pytestmark = pytest.mark.browser
SET = "feed_forward,masks,masked_softmax"


def test_a_class_writes_on_a_web_page_and_is_graded(visit, pyodide, tmp_path, command):
    site, out = tmp_path / "week", tmp_path / "submissions"
    release = [
        "course", "release", "--as", "site", "--set", SET, "--name", "A & B", "--offline", pyodide,
    ]  # fmt: skip
    assert command(*release, "--out", site).status == 0
    assert "<title>A &amp; B</title>" in (site / "index.html").read_text(encoding="utf-8")
    settings = (site / "lite/jupyter-lite.json").read_text(encoding="utf-8")
    assert '"./pyodide/pyodide.js"' in settings and PYODIDE not in settings

    page = visit(site / "lite", f"{stem('masks')}.ipynb")
    page.evaluate(
        RUN_CODE,
        course.load("masks").key
        + '\n\nfrom npformer_course import exercise\nexercise("masks").check()',
    )
    page.evaluate('() => jupyterapp.commands.execute("docmanager:save")')
    page.evaluate(
        RUN_CODE, 'from npformer_course.in_browser.hand_in import hand_in\nhand_in("Ada Lovelace")'
    )
    with page.expect_download() as download:
        page.get_by_text("Download Ada Lovelace.zip").click()
    handed_in = tmp_path / "handed-in"
    download.value.save_as(handed_in / download.value.suggested_filename)

    assert command("course", "collect", handed_in, "--out", out).status == 0
    graded = command("course", "grade", out, "--set", SET, "--out", tmp_path / "results")
    masks = course.load("masks").points
    out_of = sum(course.load(id).points for id in exercise_ids(SET))
    assert f"Ada Lovelace: {masks} of {out_of}" in graded.out
    own = code_of(out / "Ada Lovelace" / f"{stem('feed_forward')}.ipynb")
    assert "NotImplementedError" in own

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
        "course", "release", "--as", "site", "--set", "softmax", "--out", tmp_path / "site",
        "--offline", tmp_path,
    ]  # fmt: skip
    assert "not a distribution of Pyodide: expected pyodide-lock.json in it" in refused(*release)
