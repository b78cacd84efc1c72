"""Figure 1 of the site: each box leads to its links, and these to their place in the debugger."""

import re
import runpy
from pathlib import Path

import pytest

import npformer as npf
from npformer.tasks import Objective, TranslationBatch

pytestmark = pytest.mark.browser

ROOT = Path(npf.__file__).parents[1]
FRONT_PAGE = runpy.run_path(str(ROOT / "tools" / "front_page.py"))
STYLE = (ROOT / "docs" / "_static" / "front_page.css").read_text(encoding="utf-8")
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Figure 1</title>
<meta name="viewport" content="width=device-width"><style>{}
:root {{ color-scheme: light dark; --color-brand-primary: light-dark(#0a4bff, #3d94ff);
--color-background-secondary: light-dark(#f8f9fb, #1a1c1e);
--color-foreground-secondary: light-dark(#5a5c63, #9ca0a5); }}
body {{ color: light-dark(#000, #cfd0d0); background: light-dark(#fff, #131416); }}
a {{ color: light-dark(#2757dd, #5ca5ff); }}</style></head>
<body {}><main><h1>Figure 1</h1>{}</main></body></html>"""
FILL = "getComputedStyle(document.querySelector('.npformer-figure .page')).fill"


@pytest.fixture(scope="module")
def drawing():
    return FRONT_PAGE["figure_1_with_links"]()


def test_every_box_leads_to_its_links_by_keyboard(open_page, drawing):
    page = open_page(PAGE.format(STYLE, "", drawing))
    boxes = page.locator("svg a")
    assert boxes.count() == page.locator("svg g").count() == 16
    for box in boxes.all():
        title = box.locator("text").first.text_content()
        box.focus()
        page.keyboard.press("Enter")
        shown = page.locator("li:target")
        assert shown.locator("strong").inner_text() == title
        assert shown.locator("dt").all_inner_texts() == [
            "Source",
            "API",
            "Notebooks",
            "Exercises",
            "Debugger",
        ]


@pytest.mark.parametrize(
    ("scheme", "theme", "is_dark"),
    [("light", "", False), ("dark", "", True), ("light", "dark", True), ("dark", "light", False)],
)
@pytest.mark.parametrize("width", [1000, 390])
def test_figure_follows_the_theme_and_is_accessible(
    open_page, violations, drawing, width, scheme, theme, is_dark
):
    attribute = f'data-theme="{theme}" style="color-scheme: {theme}"' if theme else ""
    text = PAGE.format(STYLE, attribute, drawing)
    page = open_page(text, width=width, color_scheme=scheme)
    assert page.evaluate(FILL) == ("rgb(22, 24, 29)" if is_dark else "rgb(255, 255, 255)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


def test_places_in_the_debugger_are_found(open_page, make_model):
    objective = Objective(make_model(dropout=0.0, n_decoder_layers=2))
    recording = npf.step_through(objective, TranslationBatch.of([[4, 5, 6]], [[8, 9]]))
    page = open_page(recording.html())
    page.wait_for_selector(".app")
    for box in FRONT_PAGE["BOXES"]:
        page.evaluate("address => { location.hash = address; }", "nowhere")
        page.evaluate("address => { location.hash = address; }", box.step.replace(" ", "%20"))
        page.wait_for_function("location.hash.includes(':')")
        *modules, array = box.step.split()
        shown = page.locator(".array-panel").inner_text()
        assert array in re.findall(r"\w+", shown.partition("\n")[0])
        assert all(module in shown for module in modules)
