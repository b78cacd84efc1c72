"""The playground in a headless Chromium, with Python where a distribution of Pyodide is
installed.
"""

import importlib.util
import sys
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

import npformer as npf
from tests.browser.course_pages import SECONDS, Quiet

pytestmark = pytest.mark.browser
ROOT = Path(npf.__file__).parents[1]
MOST_BYTES = 4_000_000  # of the page with its comparison, without Python
ENDED = "() => !document.body.classList.contains('running')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The playground as tools/playground.py writes it, below a sub-path."""
    specification = importlib.util.spec_from_file_location("made", ROOT / "tools/playground.py")
    sys.path.insert(0, str(ROOT / "docs/playground"))
    specification.loader.exec_module(module := importlib.util.module_from_spec(specification))
    out = tmp_path_factory.mktemp("served") / "below" / "a path"
    module.write(out, pyodide="pyodide")
    return out


@pytest.fixture(scope="module")
def address(folder):
    """The address of the page."""
    served = folder.parents[1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=served))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/below/a%20path/playground.html"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def open_playground(chromium, address):
    """Open the page: nothing outside is asked for, and nothing fails."""
    contexts, troubles = [], []

    def open_(**settings):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        contexts.append(context)
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("response", lambda response: response.ok or troubles.append(response.url))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not troubles


@pytest.fixture(scope="module")
def with_python(open_playground, folder, pyodide):
    """A page in which Python may be loaded; tests share it, because that takes long."""
    (folder / "pyodide").symlink_to(pyodide)
    return open_playground()


def change(page, text):
    """Change line 60, the last of LayerNorm.backward, and run both."""
    page.select_option("#file", "layers/layer_norm.py")
    page.select_option("#function", "LayerNorm.backward")
    page.get_by_role("button", name="Change line 60").click()
    page.get_by_label("Line 60").fill(text)
    page.get_by_label("Line 60").press("Enter")


def test_page_shows_an_example_before_anything_is_loaded(open_playground, folder):
    page = open_playground()
    assert page.inner_text("#translation") == "Das Mädchen sieht einen kleinen Hund."
    assert page.locator("#attention .word").count() > 10
    assert page.locator("#gallery li").count() >= 24
    page.locator("#comparison").scroll_into_view_if_needed()
    frame = page.frame_locator("#comparison")
    # in a summary that is folded in a frame of this height
    frame.get_by_text("arrays differ").first.wait_for(state="attached")
    assert not [
        url for url in page.asked if url.endswith((".zip", ".py", "pyodide.js", "step.html"))
    ]
    n_bytes = (folder / "playground.html").stat().st_size
    for path in (folder / "playground").iterdir():
        if path.suffix not in (".zip", ".py"):
            n_bytes += path.stat().st_size
    assert n_bytes < MOST_BYTES


def test_page_without_scripts_says_what_it_shows(open_playground):
    page = open_playground(java_script_enabled=False)
    assert "Without JavaScript this page shows one recorded example" in page.inner_text("body")
    assert "Das Mädchen" in page.inner_text("main")
    assert not page.locator("#sentence").is_visible()
    assert not page.locator("#gallery button").first.is_visible()


def test_unknown_word_is_marked_at_once(open_playground):
    page = open_playground()
    page.fill("#sentence", "The Girl sees a quux .")
    assert page.locator("#sentence-said mark").all_inner_texts() == ["quux"]
    page.fill("#target", "der Hund sieht xyz")
    assert page.locator("#target-said mark").all_inner_texts() == ["xyz"]
    page.fill("#sentence", "the girl sleeps .")
    assert page.inner_text("#sentence-said") == ""
    assert not [url for url in page.asked if "worker" in url]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_page_has_no_violation_and_fits(open_playground, violations, width, scheme):
    page = open_playground(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.fill("#sentence", "a quux")
    page.wait_for_function("document.getElementById('lines').children.length > 0")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_page_follows_the_theme_of_the_site(open_playground):
    page = open_playground(color_scheme="light")
    page.evaluate("localStorage.setItem('theme', 'dark')")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 29)"


def test_lines_are_chosen_by_keys(open_playground):
    page = open_playground()
    page.locator("#lines button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("x")
    page.keyboard.press("Escape")
    assert page.locator("#lines input").count() == 0
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == page.locator("#lines button").nth(1).get_attribute("aria-label")


def test_line_that_was_changed_before_another_is_as_it_was_and_the_page_says_so(open_playground):
    page = open_playground()
    lines = page.locator("#lines button")
    lines.nth(0).click()
    page.keyboard.type("x")
    lines.nth(1).click()
    number = page.locator("#lines li").first.get_attribute("data-line")
    said = page.inner_text("#edit-said")
    assert f"Only one line can differ: line {number} is as it was again." in said
    lines.nth(0).click()
    assert "Only one line" not in page.inner_text("#edit-said")


def test_page_says_what_python_needs_where_it_cannot_be_loaded(open_playground):
    page = open_playground()
    assert "17 MB" in page.inner_text("#status")
    page.context.route("**/pyodide.js", lambda route: route.abort())
    assert not page.locator("#stop").is_visible()
    page.fill("#sentence", "the old man sleeps .")
    page.click("#sentence-form button")
    page.wait_for_selector("#status.error")
    said = page.inner_text("#status")
    assert not page.locator("#stop").is_visible()
    assert said.startswith("Python cannot be loaded from http") and "recorded example" in said
    assert "importScripts" not in said
    # the translation that stays is named as that of the recorded sentence
    assert page.inner_text("#translated-sentence") == "the girl sees a small dog ."
    assert page.inner_text("#translation") == "Das Mädchen sieht einen kleinen Hund."


def test_own_sentence_is_translated_and_its_step_recorded(with_python):
    page = with_python
    page.fill("#sentence", "the old man sees a dog .")
    page.click("#sentence-form button")
    page.wait_for_function(ENDED)
    assert page.inner_text("#translated-sentence") == "the old man sees a dog ."
    assert page.inner_text("#translation") == "Der alte Mann sieht einen Hund."
    assert page.locator("#attention .word", has_text="man").count() > 0
    step = page.frame_locator("#step")
    step.get_by_role("heading", name="the old man sees a dog").wait_for()


def test_change_is_compared_and_then_trained(with_python):
    page = with_python
    change(page, "return rstd * dxhat")
    compared = page.frame_locator("#comparison")
    compared.get_by_text("LayerNorm.backward were changed").first.wait_for()
    assert page.locator("#evidence svg").count() == 0
    page.wait_for_function(ENDED)
    assert page.locator("#evidence .curve").count() == 2
    evidence = page.inner_text("#evidence")
    assert "The gradient check finds this change. It ran LayerNorm alone" in evidence
    assert "over eight seeds" in evidence
    update = compared.locator(".which-update").inner_text()
    assert "on 2 sentence pairs" in update and "The model is the translator of the play" in update


def test_line_that_is_not_python_or_stops_is_answered_in_one_line(with_python):
    page = with_python
    for line, expected in [("return (", "is not Python"), ("return nothing", "the update stops")]:
        change(page, line)
        page.wait_for_selector("#status.error")
        said = page.inner_text("#status")
        assert expected in said and "\n" not in said


def test_running_is_stopped_and_a_bug_of_the_gallery_runs_afterwards(with_python):
    page = with_python
    change(page, "while True: pass")
    page.get_by_text("Recording both steps").wait_for()
    page.click("#stop")
    assert "Stopped" in page.inner_text("#status")
    page.get_by_role("button", name="causal mask forgotten").click()
    compared = page.frame_locator("#comparison")
    compared.get_by_role("heading", name="causal mask forgotten").wait_for()
    page.click("#stop")
