"""The site: it builds without a warning, its links resolve, it has every public name and no
solution.
"""

import html
import json
import pkgutil
import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import npformer as npf
from npformer_course import course
from npformer_course.percent_format import BEGIN, END

pytestmark = pytest.mark.docs
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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for library in ("furo", "sphinx-mathjax-offline", "myst_nb"):
        pytest.importorskip(library, reason='needs pip install -e ".[docs]"')
    folder, trees = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("trees")
    options = ["-b", "html", "-W", "--keep-going", "-q", "-t", "lite", "-d", trees]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "docs", folder], cwd=ROOT, capture_output=True
    )
    assert built.returncode == 0, built.stderr.decode()
    return folder


@pytest.fixture(scope="module")
def lite(site, trained_run):
    """The part of the site that runs in the browser, written after the pages, as documented."""
    pytest.importorskip("jupyterlite_pyodide_kernel", reason='needs pip install -e ".[lite]"')
    command = [sys.executable, "tools/browser_course.py", site / "lite", "--run", trained_run]
    written = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert written.returncode == 0, written.stderr.decode()
    return site / "lite"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_links_and_pictures_resolve(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            if "/lite/" in address.path:
                continue  # what the browser runs is written afterwards
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            has_ids = target in pages and target.name != "step.html"  # a script reads its fragment
            known = pages[target].ids | {"", "top"} if has_ids else {unquote(address.fragment)}
            if not target.is_file() or unquote(address.fragment) not in known:
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_run_here_opens_a_notebook_that_is_there(pages, lite):
    links = [
        (path, link) for path, page in pages.items() for link in page.links if "/lite/" in link
    ]
    assert len(links) > 70
    for path, link in links:
        address = urlsplit(link)
        assert (path.parent / unquote(address.path)).resolve().is_file(), link
        notebook = parse_qs(address.query)["path"][0]
        folder, _, name = notebook.rpartition("/")
        listed = json.loads((lite / "api/contents" / folder / "all.json").read_text("utf-8"))
        assert name in {entry["name"] for entry in listed["content"]}, link
        assert (lite / "files" / notebook).is_file(), link


def test_site_loads_nothing_from_other_hosts(site):
    for path in site.rglob("*.html"):
        assert not re.search(
            r'<(script|img|iframe)[^>]* src="https?:|<link[^>]* href="https?:',
            path.read_text("utf-8"),
        )


def test_site_has_a_social_card_and_a_step_debugger(site):
    card = (site / "social_card.png").read_bytes()
    assert struct.unpack(">II", card[16:24]) == (1200, 630)
    first = (site / "index.html").read_text(encoding="utf-8")
    assert '<meta content="social_card.png" property="og:image"' in first
    assert '<iframe class="step" src="step.html"' in first
    assert "decoder.layers.1" in (site / "step.html").read_text(encoding="utf-8")


def test_first_page_has_two_buttons_and_a_translator_that_the_site_brings(pages, site):
    first = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<p class="buttons">(.*)</p>', first) == [
        '<a href="step.html">Step through it</a><a href="notebooks/README.html">Start the course</a>'
    ]
    assert "_static/live_translation.js" in pages[site / "index.html"].links
    for name in ("translator.js", "live_translation.js", "front_page.css"):
        assert (site / "_static" / name).is_file()
    weights = (site / "phrasebook" / "weights.safetensors").read_bytes()
    assert len(weights) == 1_155_032
    for theme in ("light", "dark"):
        assert len(re.findall(rf'<img [^>]*class="only-{theme}', first)) == 1


def test_figure_1_has_a_list_of_links_for_each_box(pages, site):
    page = pages[site / "figure_1.html"]
    boxes = {link for link in page.links if link.startswith("#box-")}
    assert len(boxes) == 9 and {link[1:] for link in boxes} <= page.ids


def test_llms_txt_lists_existing_pages(site):
    links = re.findall(r"\]\((.*?)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert "index.html" in links and all((site / link).is_file() for link in links)


def squeeze(text):
    return re.sub(r"\s+", "", text)


def test_site_contains_no_solution(site):
    texts = {}
    for path in (
        path for path in site.rglob("*") if path.suffix in (".html", ".js", ".txt", ".svg")
    ):
        texts[path] = squeeze(
            html.unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))
        )
    for id in course.EXERCISES:
        exercise = course.load(id)
        own = texts[site / "exercises" / f"{course.stem(id)}.html"]
        stub = squeeze(exercise.stub)
        assert "raiseNotImplementedError" in own
        solutions = re.findall(
            rf"{BEGIN}\n(.*?){END}", "\n".join(cell.text for cell in exercise.cells), re.DOTALL
        )
        for solution in solutions:
            for line in filter(None, map(squeeze, solution.splitlines())):
                assert line not in own or line in stub, f"{id}: {line}"
            if solution.strip().count("\n"):  # a single line may also be in a notebook
                assert not [path for path, text in texts.items() if squeeze(solution) in text], id


def test_api_links_to_the_source_and_to_the_notebooks_that_use_a_name(pages, site):
    links = pages[site / "api/npformer.layers.html"].links
    assert "../_modules/npformer/layers/softmax.html#Softmax" in links
    text = (
        (site / "api/npformer.layers.html")
        .read_text(encoding="utf-8")
        .partition('id="npformer.layers.PreNorm"')[2]
    )
    assert re.search(
        r"In the notebooks: <a [^>]*15b_pre_and_post_norm.html",
        text.partition('id="npformer.layers.')[0],
    )


def test_every_public_name_is_in_the_api(pages):
    ids = {id for path, page in pages.items() if path.parent.name == "api" for id in page.ids}
    names = [
        "npformer",
        *(m.name for m in pkgutil.walk_packages(npf.__path__, "npformer.") if m.ispkg),
    ]
    packages = [
        import_module(name) for name in names if not re.match(r"npformer\.(cli|utils)", name)
    ]
    for package in packages:
        for name in getattr(package, "__all__", ()):
            same = [
                other for other in packages if getattr(other, name, None) is getattr(package, name)
            ]
            assert ids & {f"{other.__name__}.{name}" for other in same}, (
                f"{package.__name__}.{name}"
            )
