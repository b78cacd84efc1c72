"""Pages of the site in a headless Chromium: accessible, nothing cut, and the search finds."""

import re
import threading
from functools import partial
from http.server import ThreadingHTTPServer

import pytest

import npformer as npf
from npformer.visualization import sentence_attention
from npformer.visualization.viewer import AttentionViewer
from tests.browser.course_pages import Quiet

pytestmark = pytest.mark.docs

KINDS = (
    "index.html",
    "notebooks/README.html",
    "notebooks/06_one_encoder_layer.html",
    "exercises/06_layer_norm.html",
    "exercises/index.html",
    "course/part_1.html",
    "reference/layers.html",
    "how_to/python.html",
    "figure_1.html",
    "api/npformer.layers.html",
    "_modules/npformer/layers/softmax.html",
    "search.html?q=softmax",
    "step.html",
    "playground.html",
    "attention.html",  # what a reader of the site makes, next to it
)
CUT = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const cells = [...document.querySelectorAll(".cell_input pre")];
  return cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText);
}"""


@pytest.fixture(scope="module")
def visit(site, chromium):
    """Open a page of the site, which a web server has: `visit("index.html", width=390)`."""
    handler = partial(Quiet, directory=site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    contexts = []

    def visit_(address, *, width=1280, **settings):
        context = chromium.new_context(viewport={"width": width, "height": 800}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/{address}")
        page.wait_for_load_state("networkidle")
        return page

    yield visit_
    for context in contexts:
        context.close()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_is_accessible(visit, site, violations, kind, scheme):
    if kind == "attention.html":
        looked = sentence_attention(npf.load("phrasebook"), "The old man sees a dog.")
        AttentionViewer(looked).save(site / kind)
    page = visit(kind, color_scheme=scheme)
    if kind.startswith("search"):
        page.wait_for_selector("#search-results li")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("install", "index.html"),
        ("import weights", "how_to/import_weights.html"),
        ("beam search", "exercises/19_beam.html"),
        ("kv cache", "notebooks/25_kv_cache.html"),
        ("LayerNorm", "api/npformer.layers.html#npformer.layers.LayerNorm"),
        ("layer norm", "api/npformer.layers.html#npformer.layers.LayerNorm"),
        ("causal mask", "api/npformer.layers.html#npformer.layers.causal_mask"),
        ("npformer.layers.causal_mask()", "api/npformer.layers.html#npformer.layers.causal_mask"),
        ("Adam", "api/npformer.training.html#npformer.training.Adam"),
        ("plagiarism", "npformer_course/README.html"),
        ("copying", "npformer_course/README.html"),
        ("total hours", "how_to/teach_the_course.html"),
        ("hand in", "npformer_course/README.html"),
        ("how do I grade?", "npformer_course/README.html"),
        ("label_smoothing", "api/npformer.layers.html#npformer.layers.LabelSmoothingLoss"),
    ],
)
def test_search_finds_the_page_among_the_first_three(visit, words, found):
    page = visit(f"search.html?q={words}")
    page.wait_for_selector("#search-results li")
    first = page.eval_on_selector_all(
        "#search-results li > a", "links => links.slice(0, 3).map(link => link.href)"
    )
    assert any(address.endswith(found) for address in first)
    assert "\\" not in page.locator("#search-results").inner_text()  # TeX


def test_words_that_are_on_every_page_do_not_count_in_a_search(visit):
    found = []
    for words in ("translation made", "how is a translation made"):
        page = visit(f"search.html?q={words}")
        page.wait_for_selector("#search-results li")
        found.append(page.locator("#search-results li > a").all_inner_texts())
    assert found[0] == found[1]


def test_hand_in_is_found_before_titles_with_by_hand(visit):
    page = visit("search.html?q=hand in")
    page.wait_for_selector("#search-results li")
    titles = page.locator("#search-results li > a").all_inner_texts()
    by_hand = [title for title in titles if "by hand" in title]
    assert titles.index("Run the course in the browser") < titles.index(by_hand[0])


def test_search_shows_what_a_function_does(visit):
    page = visit("search.html?q=causal mask")
    first = page.locator("#search-results li").first
    assert first.locator("a").inner_text() == "npformer.layers.causal_mask()"
    assert first.locator("p").inner_text() == " ".join(
        npf.layers.causal_mask.__doc__.partition("\n\n")[0].split()
    )


@pytest.mark.parametrize(
    ("address", "block", "copied"),
    [
        ("how_to/in_the_browser.html", ".highlight-console", "pip install -e"),
        ("npformer_course/README.html", ".highlight-pycon", "from npformer_course import exercise"),
        ("notebooks/02_attention_by_hand.html", ".cell_input", "%matplotlib inline"),
    ],
)
def test_code_is_copied_by_keyboard_without_prompts(visit, address, block, copied):
    page = visit(address)
    button = page.locator(f"{block} button.copybtn").first
    button.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")  # reached by the keyboard, it is shown
    assert button.evaluate("button => button === document.activeElement")
    page.wait_for_function("getComputedStyle(document.activeElement).opacity === '1'")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{block} button.copybtn.success")
    text = page.evaluate("navigator.clipboard.readText()")
    assert copied in text.splitlines()[0]
    assert not re.search(r"^(\$|>>>|\.\.\.) ", text, re.MULTILINE)


def test_only_code_to_type_has_a_button(visit):
    page = visit("notebooks/02_attention_by_hand.html")
    assert page.locator(".cell_output button.copybtn").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_no_line_of_code_is_cut(visit, site, width):
    page = visit("index.html", width=width)
    home = page.url.removesuffix("index.html")
    for name in ("notebooks/02_*.html", "notebooks/27_*.html", "exercises/05_positions.html"):
        [path] = site.glob(name)
        page.goto(home + path.relative_to(site).as_posix())
        assert page.evaluate(CUT) == []


def test_what_scrolls_on_a_phone_is_reached_by_keyboard(visit):
    page = visit("notebooks/README.html", width=390)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    table = page.locator(".table-wrapper").first
    assert table.evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("lite/", "/notebooks/README.html"),
        ("lite/tree", "/notebooks/README.html"),
        (
            "lite/tree?path=exercises/06_add_norm.ipynb",  # as a link in a notebook opens it
            "/lite/notebooks/index.html?path=exercises/06_add_norm.ipynb",
        ),
    ],
)
def test_addresses_of_jupyterlite_are_there(visit, lite, address, leads_to):
    page = visit(address)
    page.wait_for_url(f"**{leads_to}")
