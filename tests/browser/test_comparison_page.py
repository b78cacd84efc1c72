"""The page of a comparison in a browser: what differs is seen, can be reached by keys, and is true."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer.tasks import Objective, TranslationBatch
from npformer.visualization.comparison.alignment import in_percent

pytestmark = pytest.mark.browser

NORM = "LayerNorm.backward: no mean term"
SCORES = "attention.backward: no 1 / sqrt(d_k)"
RELU = "ReLU.backward: dy changed in place"
MASK = "causal mask: upside down"
DIGITS = 6e-4  # an entry is written with four digits


def number(text):
    return float(text.replace("\u2212", "-"))


@pytest.fixture(scope="module")
def compare(make_model):
    objective = Objective(make_model(dropout=0.1, src_vocab_size=900, tie_embeddings="target"))
    batch = TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]])
    found = {}

    def compare_(change, n_updates=0):
        if (change, n_updates) not in found:
            found[change, n_updates] = npf.what_if(objective, batch, change, n_updates=n_updates)
        return found[change, n_updates]

    return compare_


@pytest.fixture
def show(open_page):
    """Open a comparison, and wait until its scripts have unpacked it."""

    def show_(comparison, **settings):
        page = open_page(comparison.html(), **settings)
        page.wait_for_selector(".app")
        return page

    return show_


def place_of(page):
    """Return the number of the difference that is shown, from 0."""
    return int(re.search(r"difference (\d+) of", page.locator(".strip .count").inner_text())[1]) - 1


def press(page, key, times=1):
    for _ in range(times):
        page.keyboard.press(key)


def test_page_opens_at_the_first_difference(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    first = comparison.first
    assert place_of(page) == 0
    title = page.locator(".code-panel h2").first.inner_text()
    assert title.startswith(f"{first.place.module}.backward")
    assert page.locator(".array-panel h2").inner_text() == "returned : A | B | B \u2212 A"
    how = page.locator(".how").inner_text()
    assert how.startswith(f"B differs from A by {in_percent(first.size)} of the largest entry of A")
    assert how.endswith("The difference begins here.")


def test_three_pictures_have_the_numbers_of_both_recordings(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    canvases = page.locator(".array-panel .compared canvas")
    assert canvases.count() == 3
    canvases.nth(1).focus()
    press(page, "ArrowRight", 2)
    press(page, "ArrowDown")
    entry = page.locator(".entry strong").inner_text()
    index = tuple(map(int, re.search(r"\[([\d, ]+)\]", entry)[1].split(",")))
    a, b, apart = map(number, re.search(r"A (\S+), B (\S+), B \u2212 A (\S+)", entry).groups())
    first = comparison.first
    np.testing.assert_allclose(a, first.a[index], rtol=DIGITS)
    np.testing.assert_allclose(b, first.b[index], rtol=DIGITS)
    np.testing.assert_allclose(apart, first.b[index] - first.a[index], rtol=DIGITS, atol=1e-9)
    assert page.locator(".live").inner_text().startswith("returned[")

    shared, own = map(
        number, re.findall(r"up to \u00b1(\S+?)\.(?: |$)", page.locator(".scales").inner_text())
    )
    largest = max(np.abs(first.a).max(), np.abs(first.b).max())
    np.testing.assert_allclose(shared, largest, rtol=DIGITS)
    np.testing.assert_allclose(own, np.abs(first.b - first.a).max(), rtol=DIGITS)


def test_changed_line_is_in_the_code_and_both_are_explained_in_numbers(show, compare):
    page = show(compare(NORM))
    lines = page.locator(".code-panel .lines").first
    assert "dxhat - mean - xhat" in lines.locator("del").inner_text()
    assert "dxhat  - xhat" in lines.locator("ins").inner_text()
    assert lines.locator("li.added .chip .differs").inner_text().startswith("\u2260 ")
    a, b = page.locator(".array-panel p.sum").all_inner_texts()
    entry = page.locator(".entry strong").inner_text()
    assert a.startswith("A: rstd * (dxhat - mean") and b.startswith("B: rstd * (dxhat - xhat")
    assert f" A {a.rsplit(' = ', 1)[1]}," in entry and f" B {b.rsplit(' = ', 1)[1]}," in entry


def test_keys_go_from_difference_to_difference(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    press(page, "n", 3)
    assert place_of(page) == 3
    press(page, "p")
    assert place_of(page) == 2
    sizes = [d.size if np.isfinite(d.size) else -1 for d in comparison.differences]
    press(page, "g")
    assert place_of(page) == np.argmax(sizes)
    press(page, "f")
    press(page, "p")
    assert place_of(page) == 0
    press(page, "Home")
    assert page.locator(".strip .count").inner_text() == f"{len(sizes)} differences"
    press(page, "n")
    assert place_of(page) == 0
    press(page, "End")
    press(page, "p")
    assert place_of(page) == len(sizes) - 1


def test_every_difference_can_be_shown(show, compare):
    for change in (MASK, SCORES):
        comparison = compare(change)
        page = show(comparison)
        for i, difference in enumerate(comparison.differences[:150]):
            assert place_of(page) == i
            title = page.locator(".array-panel h2").inner_text()
            name = difference.place.name
            assert title.startswith((f"{name} : ", f"returned {name} : ")), title
            press(page, "n")


def test_causes_are_links(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    press(page, "n")
    [cause] = comparison.differences[1].causes
    page.locator(".causes button").click()
    assert place_of(page) == cause
    page.locator(".summary button").click()
    assert place_of(page) == 0


def test_array_of_one_recording_alone_is_shown_as_such(show, compare):
    page = show(compare(SCORES))
    assert page.locator(".array-panel h2").inner_text() == "dscores : A"
    assert page.locator(".how").inner_text().startswith("Only A makes this array.")
    assert page.locator(".lines li.removed .differs").first.inner_text() == "only A"

    page = show(compare(RELU))
    assert page.locator(".array-panel h2").inner_text() == "dy : B"
    assert page.locator(".lines li.added .differs").first.inner_text() == "only B"


def test_click_on_the_strip_goes_to_the_nearest_difference(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    strip = page.locator(".strip svg")
    box = strip.bounding_box()
    strip.click(position={"x": box["width"] - 2, "y": 10})
    assert place_of(page) > 0.9 * len(comparison.differences)
    strip.click(position={"x": 2, "y": 10})
    assert place_of(page) == 0
    counts = strip.get_attribute("aria-label")
    assert counts.startswith("Arrays that differ: forward 0 of ")
    assert f"backward {len(comparison.differences)} of " in counts


def test_boxes_of_the_figure_say_how_far_they_differ(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    gradients = [d for d in comparison.differences if d.place.kind == "argument"]
    of_layer = {}
    for difference in gradients:
        of_layer.setdefault(difference.place.module, difference.size)
    module = "encoder.layers.0.self_attention.sublayer"
    name = re.compile(rf"^Multi-Head Attention, {re.escape(module)}.*, \u2260 ")
    box = page.get_by_role("button", name=name)
    assert f"\u2260 {in_percent(of_layer[module])}" in box.inner_text()
    assert page.locator(".box", has_text="= equal").count() >= 2
    press(page, "Home")
    assert page.locator(".box.shaded").count() == 0  # forward is right


def test_large_gradient_is_named_without_pictures(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    [name] = [
        d.place.module
        for d in comparison.differences
        if d.place.kind == "gradient" and d.a.shape[0] == 900
    ][:1]
    page.locator("[name=search]").fill(f"{name} table.grad")
    page.keyboard.press("Enter")
    assert page.locator(".array-panel .compared canvas").count() == 0
    assert "This page has no entries of it" in page.locator(".array-panel").inner_text()
    assert "B differs from A by" in page.locator(".how").inner_text()


def test_curves_have_a_text_alternative(show, compare):
    comparison = compare(NORM, 3)
    page = show(comparison)
    label = page.locator("svg.curves").get_attribute("aria-label")
    for losses in comparison.losses:
        assert f"{losses.mean():.4g}" in label
    assert page.locator("svg.curves .curve").count() == 2
    assert page.locator("svg.curves .label").all_text_contents() == ["A", "B"] or page.locator(
        "svg.curves .label"
    ).all_text_contents() == ["B", "A"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "dark")])
def test_axe_finds_nothing(show, compare, width, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason='needs axe-playwright-python: pip install "npformer[browser]"',
    )
    page = show(compare(NORM, 3), width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".about summary").click()
    violations = axe.Axe().run(page).response["violations"]
    assert [violation["id"] for violation in violations] == []


def test_page_without_javascript_has_the_first_differences(open_page, compare):
    comparison = compare(NORM)
    page = open_page(comparison.html(), java_script_enabled=False)
    assert page.locator("table tr").count() == 22 and page.locator("table").is_visible()
    assert comparison.first.place.module in page.locator("table tr").nth(1).inner_text()
    assert f"{len(comparison.differences)} of" in page.locator(".summary").inner_text()
