"""The page of a comparison in a browser: what differs is seen, can be reached by keys, and is true."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer.tasks import Objective, TranslationBatch
from npformer.training import Adam
from npformer.visualization.comparison.alignment import in_percent

pytestmark = pytest.mark.browser

NORM = "LayerNorm.backward: no mean term"
SCORES = "attention.backward: no 1 / sqrt(d_k)"
RELU = "ReLU.backward: dy changed in place"
MASK = "causal mask: upside down"
RESIDUAL = "PostNorm: no residual in either direction"
TABLE = "Embedding.backward: the table's gradient overwritten, the generator's part lost"
AXIS = "Softmax: over the axis before the last, in both directions"
PADDING = "padding of the source visible to the decoder"
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
    """Return the number of the difference that is shown, from 0, without those handed on."""
    return int(re.search(r"difference (\d+) of", count_of(page))[1]) - 1


def count_of(page):
    return page.locator(".strip .count").inner_text()


def open_summary(page):
    page.locator(".about-change > summary").click()


def own_of(comparison):
    """Return the differences that are not only handed on."""
    return [difference for difference in comparison.differences if not difference.is_handed_on]


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
    assert f"which is {in_percent(first.size)} of the largest entry of A." in how
    assert number(re.match(r"B differs from A by up to (\S+),", how)[1]) == pytest.approx(
        first.apart, rel=1e-3
    )
    assert how.endswith("The difference begins here.")


def test_page_says_first_which_update_it_is(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    update = page.locator("h1 + .changes + .which-update").inner_text()
    assert update.startswith("A and B are the same training update (forward and backward) on 2 ")
    assert f"with the loss {comparison.a.loss:.6g} in both." in update
    assert "There is no optimizer" in update


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
    assert lines.locator("del").count() == 0
    assert re.match(
        r"A\s+only:.*dxhat - mean - xhat", lines.locator("li .only-a").inner_text(), re.S
    )
    assert re.match(r"B\s+only:.*dxhat - xhat", lines.locator("li .only-b").inner_text(), re.S)
    assert lines.locator("li.added .chip .differs").inner_text().startswith("\u2260 ")
    a, b = page.locator(".array-panel p.sum").all_inner_texts()
    entry = page.locator(".entry strong").inner_text()
    assert a.startswith("A: rstd * (dxhat - mean") and b.startswith("B: rstd * (dxhat - xhat")
    assert f" A {a.rsplit(' = ', 1)[1]}," in entry and f" B {b.rsplit(' = ', 1)[1]}," in entry


def test_keys_go_from_difference_to_difference(show, compare):
    own = own_of(compare(NORM))
    page = show(compare(NORM))
    press(page, "n", 3)
    assert place_of(page) == 3
    press(page, "p")
    assert place_of(page) == 2
    press(page, "f")
    assert place_of(page) == 0
    press(page, "Home")
    assert count_of(page) == f"{len(own)} differences"
    press(page, "n")
    assert place_of(page) == 0
    press(page, "End")
    press(page, "p")
    assert place_of(page) == len(own) - 1


def test_key_at_an_end_of_the_differences_says_so(show, compare):
    page = show(compare(NORM))
    press(page, "p")
    assert count_of(page) == "no difference before this one"
    press(page, "n")
    assert place_of(page) == 1
    press(page, "End")
    press(page, "p")
    press(page, "n")
    assert count_of(page) == "no difference after this one"


def test_largest_difference_is_more_than_rounding(show, compare):
    for change in (NORM, AXIS):
        own = own_of(compare(change))
        page = show(compare(change))
        press(page, "g")
        largest = own[place_of(page)]
        assert np.isfinite(largest.size) and not largest.is_rounding
        for other in own:
            # of what is used elsewhere for sure
            is_result = other.place.kind in ("gradient", "returned")
            if is_result and np.isfinite(other.size) and not other.is_rounding:
                assert other.weight <= largest.weight
    # where the gradient of a bias of keys is rounding in A alone
    assert any(d.place.name == "bias.grad" and np.isinf(d.size) for d in own)


def test_differences_of_rounding_alone_are_called_so(show, make_model):
    objective = Objective(make_model(dropout=0.1))
    batch = TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]])
    line = "dxhat = dy * self.gain.data"
    change = {"layers/layer_norm.py": (line, f"{line} * 1.0000001")}
    norm = "decoder.layers.0.feed_forward.norm"
    comparison = npf.what_if(objective, batch, change, only=norm, n_updates=0)
    page = show(comparison)
    assert all(d.is_rounding for d in comparison.differences)
    assert page.locator(".lines .differs").first.inner_text() == "\u2248 rounding"
    press(page, "g")
    assert count_of(page).endswith("all are as small as rounding")
    assert "no more than rounding can make" in page.locator(".how").inner_text()


def test_keys_work_after_a_click_on_anything_but_the_search(show, compare):
    page = show(compare(NORM))
    for selector in (".about-change > summary", ".about summary", "nav input[type=range]", ".skip"):
        page.locator(selector).click()
        press(page, "f")
        press(page, "n")
        assert place_of(page) == 1, selector
    page.locator("[name=search]").click()
    press(page, "n")
    assert page.locator("[name=search]").input_value() == "n" and place_of(page) == 1


def test_space_on_a_summary_opens_and_closes_it(show, compare):
    page = show(compare(NORM))
    page.locator(".about-change > summary").focus()
    press(page, " ")
    assert page.locator(".about-change").get_attribute("open") == ""
    press(page, " ")
    assert page.locator(".about-change").get_attribute("open") is None


def test_question_mark_lists_the_keys(show, compare):
    page = show(compare(NORM))
    press(page, "?")
    keys = page.locator("dialog.keys")
    assert keys.is_visible()
    assert [words in keys.inner_text() for words in ("n, p", "handed on", "Home, End")] == [
        True
    ] * 3
    assert "tour" not in keys.inner_text()
    press(page, "n")
    press(page, "Escape")
    assert not keys.is_visible() and place_of(page) == 0
    page.get_by_role("button", name="the list of keys").click()
    assert keys.is_visible()


def test_every_difference_can_be_shown(show, compare):
    for change in (MASK, SCORES):
        page = show(compare(change))
        for i, difference in enumerate(own_of(compare(change))[:150]):
            assert place_of(page) == i
            title = page.locator(".array-panel h2").inner_text()
            name = difference.place.name
            assert title.startswith((f"{name} : ", f"returned {name} : ")), title
            press(page, "n")


def test_array_that_is_handed_on_is_named_as_such(show, compare):
    comparison = compare(NORM)
    [first, second] = comparison.differences[:2]
    assert second.is_handed_on
    page = show(comparison)
    page.locator("[name=search]").fill(f"{second.place.module} {second.place.function} dy")
    page.keyboard.press("Enter")
    assert count_of(page).startswith("handed on, one of ")
    assert page.locator(".causes").inner_text().startswith("The same two arrays, handed on, as")
    page.locator(".causes button").click()
    assert place_of(page) == own_of(comparison).index(first)


def test_causes_are_links_to_where_arrays_are_made(show, compare):
    comparison = compare(NORM)
    own = own_of(comparison)
    page = show(comparison)
    press(page, "n")
    cause = comparison.differences[own[1].causes[0]]
    while cause.is_handed_on:
        cause = comparison.differences[cause.causes[0]]
    page.locator(".causes button").first.click()
    assert place_of(page) == own.index(cause)
    open_summary(page)
    page.locator(".summary button").click()
    assert place_of(page) == 0


def test_argument_with_which_the_difference_begins_is_shown_at_the_line_that_passes_it(
    show, compare
):
    comparison = compare(RESIDUAL)
    page = show(comparison)
    assert place_of(page) == 0
    first = comparison.first
    title = page.locator(".code-panel h2").first.inner_text()
    assert title.startswith("encoder.layers.0.self_attention.forward")
    current = page.locator(".lines .current")
    assert [line.strip()[0] for line in current.all_inner_texts()] == ["A", "B"]
    assert "x + self.dropout" in current.first.inner_text()
    how = page.locator(".how").inner_text()
    assert f"begins here, in what line {first.line} of encoder.layers.0.self_attention" in how
    assert f"add_norm.py:{first.line}" in page.locator(".summary").text_content()
    press(page, "n")
    assert place_of(page) == 1
    press(page, "f")
    assert place_of(page) == 0
    assert page.locator(".box", has_text="begins here").get_attribute("aria-current") == "true"


def test_entry_that_is_shown_first_differs_most(show, compare):
    """It may be in another text of the batch, or in another head."""
    comparison = compare(MASK)
    page = show(comparison)
    for difference in own_of(comparison)[:40]:
        entry = page.locator(".entry strong").inner_text()
        found = re.search(r"B \u2212 A (\S+)", entry)
        if found and np.isfinite(difference.apart) and difference.a.dtype.kind == "f":
            apart = abs(number(found[1]))
            np.testing.assert_allclose(apart, difference.apart, rtol=DIGITS)
        press(page, "n")


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
    assert place_of(page) > 0.9 * len(own_of(comparison))
    strip.click(position={"x": 2, "y": 10})
    assert place_of(page) == 0
    counts = strip.get_attribute("aria-label")
    assert counts.startswith("Arrays that differ: forward 0 of ")
    assert f"backward {len(comparison.differences)} of " in counts


def test_boxes_of_the_figure_say_how_far_their_own_gradients_differ(show, compare):
    """A box counts what its backward computes, not the gradient that comes to it."""
    comparison = compare(NORM)
    page = show(comparison)
    module = "encoder.layers.0.self_attention.sublayer"
    sizes = []
    for difference in comparison.differences:
        place = difference.place
        is_own = place.module == module or place.module.startswith(f"{module}.")
        is_gradient = place.kind == "gradient" or (
            place.kind == "returned" and place.function == "backward"
        )
        if is_own and is_gradient and np.isfinite(difference.size) and not difference.is_rounding:
            sizes.append(difference.size)
    name = re.compile(rf"^Multi-Head Attention \u2260 .*, {re.escape(module)},")
    box = page.get_by_role("button", name=name)
    assert f"\u2260 {in_percent(max(sizes))}" in box.inner_text()
    assert page.locator(".box", has_text="= equal").count() >= 2
    assert "in the gradients that a box computes" in page.locator(".legend").inner_text()
    press(page, "Home")
    assert page.locator(".box.shaded").count() == 0  # forward is right
    assert "in the output of a box" in page.locator(".legend").inner_text()


def test_box_says_that_the_difference_begins_there(show, compare):
    page = show(compare(NORM))
    box = page.locator(".box", has_text="begins here")
    assert box.count() == 1
    size = in_percent(compare(NORM).first.size)
    assert f"begins here \u2260 {size}" in box.inner_text()
    legend = page.locator(".legend").bounding_box()
    tag = page.locator(".begins").bounding_box()
    assert tag["y"] >= legend["y"] + legend["height"] - 1
    assert "decoder.layers.0.feed_forward," in box.get_attribute("aria-label")
    box.click()
    assert "decoder.layers.0.feed_forward" in page.locator(".code-panel h2").first.inner_text()

    page = show(compare(PADDING))
    assert page.locator(".box", has_text="begins here").count() == 0
    legend = page.locator(".legend").inner_text()
    assert "The difference begins outside the boxes, in Transformer.decode" in legend


def test_loss_that_is_not_finite_is_not_subtracted(show, make_model):
    objective = Objective(make_model(dropout=0.0))
    batch = TranslationBatch.of([[4, 5, 6]], [[8, 9]])
    change = {"layers/layer_norm.py": ("+ self.eps)", "- 1e9)")}
    page = show(npf.what_if(objective, batch, change, n_updates=0))
    assert "in A and nan in B" in page.locator(".which-update").inner_text()
    open_summary(page)
    assert "nan" not in page.locator(".summary").inner_text().lower()


def test_difference_of_an_optimizer_begins_outside_the_boxes(show, make_model):
    objective = Objective(make_model())
    adam = Adam(objective.parameters(), learning_rate=0.01)
    batch = TranslationBatch.of([[4, 5, 6]], [[8, 9]])
    page = show(npf.what_if(objective, batch, "Adam's eps inside the root", adam, n_updates=0))
    assert page.locator(".box", has_text="begins here").count() == 0
    legend = page.locator(".legend").inner_text()
    assert "The difference begins outside the boxes, in Adam.update_part, line " in legend


def test_update_of_all_parameters_is_shown(show, make_model):
    objective = Objective(make_model(dropout=0.1, src_vocab_size=900, tie_embeddings="target"))
    batch = TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]])
    adam = Adam(objective.parameters(), learning_rate=0.01)
    page = show(npf.what_if(objective, batch, NORM, adam, n_updates=0))
    page.locator("[name=search]").fill("Adam update_part encoder.input_embedding.embedding.table")
    page.keyboard.press("Enter")
    assert "The update moves an entry by up to 0.01" in page.locator(".moved").inner_text()
    assert "those that differ most" in page.locator(".array-panel").inner_text()
    assert "in the parameters of a box after the update" in page.locator(".legend").inner_text()
    box = page.locator(".box", has_text="Input Embedding")
    assert "\u2260 " in box.first.inner_text()


def test_search_finds_first_what_differs(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    search = page.locator("[name=search]")
    search.fill("norm dy")
    differ = [
        d for d in comparison.differences if d.place.name == "dy" and "norm" in d.place.module
    ]
    assert f"first {len(differ)} that differ" in page.locator("nav output").last.inner_text()
    for _ in differ:
        search.press("Enter")
        assert page.locator(".array-panel .how").count() == 1
    search.press("Enter")
    assert page.locator(".array-panel .how").count() == 0
    search.fill("loss losses")
    assert "found, none of them differs" in page.locator("nav output").last.inner_text()


def test_keys_work_after_a_search(show, compare):
    page = show(compare(NORM))
    search = page.locator("[name=search]")
    search.fill("norm returned")
    search.press("Enter")
    place = place_of(page)
    press(page, "n")
    assert place_of(page) == place + 1
    search.focus()
    press(page, "Escape")
    press(page, "f")
    assert place_of(page) == 0


def test_all_three_pictures_are_in_view_on_a_small_screen(show, compare):
    page = show(compare(NORM, 3), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".about-change").get_attribute("open") is None
    for line in (".change .only-a", ".change .only-b"):
        assert page.locator(line).first.is_visible()
    for canvas in page.locator(".array-panel .compared canvas").all():
        box = canvas.bounding_box()
        assert box["y"] + box["height"] < 790


def test_phone_folds_the_summary_and_scrolls_to_the_code(show, compare):
    page = show(compare(NORM, 3), width=390)
    assert page.locator(".about-change").get_attribute("open") is None
    assert page.locator(".which-update").is_visible()
    for line in (".change .only-a", ".change .only-b"):
        box = page.locator(line).bounding_box()
        assert box["y"] + box["height"] < 300
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    def code_is_in_view():
        box = page.locator(".code-panel .current").first.bounding_box()
        strip = page.locator(".strip").bounding_box()
        is_below_strip = box["y"] > max(0, strip["y"] + strip["height"])
        return is_below_strip and box["y"] + box["height"] < 700

    for name in ("to the largest difference (g)", "to the next difference (n)"):
        page.get_by_role("button", name=name).click()
        assert code_is_in_view()
    page.evaluate("scrollTo(0, 0)")
    page.locator("[name=search]").fill("loss losses")
    page.keyboard.press("Enter")
    assert code_is_in_view()
    page.locator(".box", has_text="Input Embedding").first.click()
    assert code_is_in_view()
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_about_explains_signs_and_scales(show, compare):
    page = show(compare(NORM))
    page.locator(".about summary").click()
    about = page.locator(".about").inner_text()
    for words in ("one color scale", "logarithmic", "\u2248 rounding", "A = 0 \u2260 B", "dashed"):
        assert words in about


def test_large_gradient_is_shown_by_the_rows_that_differ_most(show, compare):
    comparison = compare(NORM)
    page = show(comparison)
    [large] = [
        d for d in comparison.differences if d.place.kind == "gradient" and d.a.shape[0] == 900
    ]
    page.locator("[name=search]").fill(f"{large.place.module} table.grad")
    page.keyboard.press("Enter")
    assert page.locator(".array-panel .compared canvas").count() == 3
    panel = page.locator(".array-panel").inner_text()
    assert "Of 900 rows this page has 8: those that differ most." in panel
    entry = page.locator(".entry strong").inner_text()
    row, column = map(int, re.search(r"\[(\d+), (\d+)\]", entry).groups())
    a, b, apart = map(number, re.search(r"A (\S+), B (\S+), B \u2212 A (\S+)", entry).groups())
    np.testing.assert_allclose(a, large.a[row, column], rtol=DIGITS)
    np.testing.assert_allclose(b, large.b[row, column], rtol=DIGITS)
    np.testing.assert_allclose(abs(apart), large.apart, rtol=DIGITS)


def test_array_that_is_set_to_zero_and_then_added_to_is_shown_line_by_line(show, compare):
    page = show(compare(TABLE))
    assert page.locator(".lines li.added .differs").first.inner_text() == "only B"
    assert (
        page.locator(".how").inner_text() == "Only B makes this array. The difference begins here."
    )
    press(page, "n")
    assert page.locator(".array-panel h2").inner_text() == "table.grad : A | B | B \u2212 A"
    assert "scatter_add" in page.locator(".lines .current").inner_text()
    assert "begins here" not in page.locator(".how").inner_text()
    assert page.locator(".causes .differs").first.inner_text() == "only B"


def test_curves_have_a_text_alternative(show, compare):
    comparison = compare(NORM, 3)
    page = show(comparison)
    open_summary(page)
    label = page.locator("svg.curves").get_attribute("aria-label")
    for losses in comparison.losses:
        assert f"{losses.mean():.4g}" in label
    assert page.locator("svg.curves .curve").count() == 3  # A from another seed is gray
    assert "A from another seed" in page.locator(".training").inner_text()
    assert page.locator("svg.curves .label").all_text_contents() == ["A", "B"] or page.locator(
        "svg.curves .label"
    ).all_text_contents() == ["B", "A"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "dark")])
def test_axe_finds_nothing(show, compare, violations, width, scheme):
    page = show(compare(NORM, 3), width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert violations(page) == []
    press(page, "?")
    assert violations(page) == []


def test_page_without_javascript_has_the_first_differences(open_page, compare):
    comparison = compare(NORM)
    page = open_page(comparison.html(), java_script_enabled=False)
    assert page.locator("table tr").count() == 22 and page.locator("table").is_visible()
    assert comparison.first.place.module in page.locator("table tr").nth(1).inner_text()
    assert f"{len(comparison.differences)} of" in page.locator(".summary").inner_text()
