"""A headless Chromium that is offline, and pages in it that may not write one error to the
console.
"""

import os
import shutil

import pytest

from npformer.visualization.viewer import AttentionViewer
from tests.browser.course_pages import pyodide, visit  # noqa: F401 - fixtures

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason='needs Playwright: pip install "npformer[browser]"'
    )
    with playwright.sync_playwright() as driver:
        installed = next(
            filter(None, map(shutil.which, CHROMIUMS)), driver.chromium.executable_path
        )
        if not os.path.exists(installed):
            pytest.skip("needs a browser: apt install chromium, or playwright install chromium")
        browser = driver.chromium.launch(executable_path=installed)
        yield browser
        browser.close()


@pytest.fixture
def violations():
    """Return what axe-core finds in a page, with the rule about names of buttons, too."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason='needs axe-playwright-python: pip install "npformer[browser]"',
    )
    rules = {"label-content-name-mismatch": {"enabled": True}}

    def violations_(page):
        found = axe.Axe().run(page, options={"rules": rules}).response["violations"]
        return [(one["id"], one["nodes"][0]["html"]) for one in found]

    return violations_


@pytest.fixture
def open_page(chromium, tmp_path):
    """Open a page of HTML from a file, with nothing else in reach:

    `open_page(html, color_scheme="dark")`.
    """
    contexts, troubles = [], []

    def open_(html, *, width=1000, **settings):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 700}, **settings)
        contexts.append(context)
        context.set_default_timeout(20_000)
        context.set_offline(True)

        def answer(route):
            if route.request.url.partition("?")[0] == path.as_uri():
                route.continue_()
            else:
                troubles.append(f"asked for {route.request.url}")
                route.abort()

        context.route("**/*", answer)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not troubles


@pytest.fixture
def show(open_page, tmp_path):
    """Save the viewer of a sentence and open what was saved."""

    def show_(looked, **settings):
        AttentionViewer(looked).save(tmp_path / "saved.html")
        return open_page((tmp_path / "saved.html").read_text(encoding="utf-8"), **settings)

    return show_


@pytest.fixture
def looked(make_looked):
    """Two encoder and three decoder layers of four heads; the last cross-attention is plain to
    read.
    """
    looked = make_looked(["the", "dog", "sleeps", "<eos>"], ["der", "Hund", "schläft", "<eos>"])
    looked.cross[-1] = 0
    for head in range(4):
        for query in range(4):
            looked.cross[-1, head, query, [query, (query + head) % 4]] = (
                [0.2, 0.8] if head else [1, 1]
            )
    return looked
