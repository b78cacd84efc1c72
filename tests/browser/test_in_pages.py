"""The viewer among other things: several in a page, in notebooks, in light and dark, and without
scripts.
"""

from itertools import pairwise

import pytest

from npformer.visualization.viewer import AttentionViewer

pytestmark = pytest.mark.browser

# How the two put an HTML output into their page: innerHTML starts no script, so they start copies
# of them.
JUPYTERLAB = """html => {
  const box = document.body.appendChild(document.createElement("div"));
  box.innerHTML = html;
  for (const script of [...box.getElementsByTagName("script")]) {
    const copy = document.createElement("script");
    copy.textContent = script.textContent;
    script.parentNode.replaceChild(copy, script);
  }
}"""
VS_CODE = """html => {
  const box = document.body.appendChild(document.createElement("div"));
  box.innerHTML = html;
  for (const script of [...box.getElementsByTagName("script")]) {
    const copy = document.createElement("script");
    copy.text = script.innerText;
    box.appendChild(copy).parentNode.removeChild(copy);
  }
}"""
UNTRUSTED = """html => {
  const box = document.body.appendChild(document.createElement("div"));
  box.innerHTML = html;
  for (const script of [...box.getElementsByTagName("script")]) script.remove();
}"""
COLORS = """viewer => {
  const style = getComputedStyle(viewer);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  return [style.backgroundColor, style.color].map(color => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((sum, part) => sum + part) / 765;
  });
}"""


@pytest.mark.parametrize("insert", [JUPYTERLAB, VS_CODE])
def test_viewer_starts_when_inserted_by_a_notebook(open_page, looked, insert):
    page = open_page("<!DOCTYPE html><title>notebook</title>")
    before = page.evaluate("Object.getOwnPropertyNames(window)")
    for _ in range(2):  # one output in two views
        page.evaluate(insert, AttentionViewer(looked).html())
    assert page.locator(".viewer").count() == 2
    assert page.evaluate("Object.getOwnPropertyNames(window)") == before
    page.locator(".viewer").nth(1).locator(".query").nth(1).hover()
    assert page.locator(".query.shown").all_inner_texts() == ["der", "Hund"]


def test_untrusted_notebook_shows_table(open_page, looked):
    page = open_page("<!DOCTYPE html><title>notebook</title>")
    page.evaluate(UNTRUSTED, AttentionViewer(looked).html())
    assert (
        page.locator("table tr")
        .nth(2)
        .inner_text()
        .replace("\u00a0", " ")
        .startswith("Hund\tdog 40% · ")
    )


def test_saved_page_without_javascript_shows_table(show, looked):
    page = show(looked, java_script_enabled=False)
    assert page.locator("table").is_visible() and page.locator(".viewer").count() == 0


def test_viewer_replaces_table_when_javascript_runs(show, looked):
    page = show(looked)
    assert page.locator(".viewer").is_visible() and not page.locator("table").is_visible()


def test_viewers_in_one_page_are_isolated(open_page, looked, make_looked):
    other = make_looked(["x", "<eos>"], ["y", "z", "<eos>"], heads=2)
    pieces = AttentionViewer(looked).html() + "<p id=p>text</p>" + AttentionViewer(other).html()
    style = "<style>button, li, p { color: red; display: none } #p { display: block }</style>"
    page = open_page(f"<!DOCTYPE html><meta charset=utf-8>{style}{pieces}")
    plain = open_page(f"<!DOCTYPE html><meta charset=utf-8>{style}<p id=p>text</p>")
    computed = "() => { const s = getComputedStyle(document.getElementById('p')); return [...s].map(n => s[n]).join() }"
    assert page.evaluate(computed) == plain.evaluate(computed)
    first, second = page.locator(".viewer").all()
    first.locator(".choices label", has_text="encoder").click()
    first.get_by_role("checkbox", name="head 0").click()
    first.locator(".query").nth(2).click()
    assert second.locator(".query.shown").inner_text() == "y"
    assert (
        second.get_by_role("radio", name="cross").is_checked()
        and second.get_by_role("checkbox").first.is_checked()
    )
    assert (
        second.locator(".query").first.evaluate("one => getComputedStyle(one).color")
        != "rgb(255, 0, 0)"
    )
    assert page.evaluate("document.querySelectorAll('[id]').length") == 1


@pytest.mark.parametrize(
    "theme",
    [
        "--jp-layout-color0: #111; --jp-content-font-color1: #fff; --jp-border-color1: #555",
        "--vscode-editor-background: #1e1e1e; --vscode-editor-foreground: #d4d4d4",
    ],
)
def test_notebook_theme_overrides_browser_color_scheme(open_page, looked, theme):
    page = open_page(
        f"<!DOCTYPE html><body style='{theme}'>{AttentionViewer(looked).html()}",
        color_scheme="light",
    )
    paper, ink = page.locator(".viewer").evaluate(COLORS)
    assert paper < 0.15 and ink > 0.8


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (400, "dark")])
def test_viewer_follows_browser_color_scheme_and_no_parts_overlap(
    show, looked, tmp_path, width, scheme
):
    from matplotlib.image import imread

    page = show(looked, color_scheme=scheme, width=width)
    paper, ink = page.locator(".viewer").evaluate(COLORS)
    assert (paper > 0.9 and ink < 0.2) if scheme == "light" else (paper < 0.15 and ink > 0.8)
    page.locator(".query").nth(1).hover()
    page.locator(".viewer").screenshot(path=tmp_path / "shot.png")
    light = (imread(tmp_path / "shot.png")[..., :3].mean(-1) > 0.5).mean()
    assert light > 0.85 if scheme == "light" else light < 0.15
    boxes = [
        part.bounding_box()
        for part in page.locator(".bar, h3, .words, .said, .heads, .maps, .help").all()
    ]
    boxes.sort(key=lambda box: box["y"])
    assert all(a["y"] + a["height"] <= b["y"] + 0.5 for a, b in pairwise(boxes))
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
