"""The site, built once for all tests of it."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import npformer as npf
from tests.browser.conftest import chromium, violations  # noqa: F401 - fixtures

ROOT = Path(npf.__file__).parents[1]


class Page(HTMLParser):
    """The ids of a page, and the addresses of its links and pictures."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.add(value)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    for library in ("furo", "myst_nb"):
        pytest.importorskip(library, reason='needs pip install -e ".[docs]"')
    folder, trees = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("trees")
    options = ["-b", "html", "-W", "--keep-going", "-q", "-t", "lite", "-d", trees]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "docs", folder], cwd=ROOT, capture_output=True
    )
    assert built.returncode == 0, built.stderr.decode()
    return folder


@pytest.fixture(scope="session")
def lite(site, trained_run):
    """The part of the site that runs in the browser, written after the pages, as documented."""
    pytest.importorskip("jupyterlite_pyodide_kernel", reason='needs pip install -e ".[lite]"')
    command = [sys.executable, "tools/browser_course.py", site / "lite", "--run", trained_run]
    written = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert written.returncode == 0, written.stderr.decode()
    return site / "lite"


@pytest.fixture(scope="session")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}
