"""Live figures: sliders change the numbers, the numbers are NumPy's, and every reader can use them."""

import re
from functools import partial

import numpy as np
import pytest

from helpers.live_figures import live_clock_hands, live_saturation
from helpers.live_figures.frame import Slider, read
from helpers.live_figures.saturation import saturation_numbers
from npformer.layers.positional_encoding import sinusoids

pytestmark = pytest.mark.browser

# a page with dark or light text, from which a figure takes its colors
PAGE = """<!doctype html><html lang="en"><title>A figure</title>
<style>body {{ color: #222; background: #fff; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #131416; }} }}</style>
<body><main><h1>A figure</h1>{}</main></body></html>"""


def saturation():
    rng = np.random.default_rng(0)
    return live_saturation(rng.normal(size=(3, 128)), rng.normal(size=(3, 10, 128)))


FIGURES = {
    "saturation": saturation,
    "clock hands": partial(live_clock_hands, 16),
}
every_figure = pytest.mark.parametrize("name", FIGURES)


@pytest.fixture
def show(open_page):
    """Open a figure in a page: `show(figure, width=320)`."""

    def show_(figure, **settings):
        return open_page(PAGE.format(figure._repr_html_()), **settings)

    return show_


def said(page):
    """Return the line of numbers, with the minus that Python reads."""
    return page.locator(".line").inner_text().replace("\u2212", "-")


def number_after(words, text):
    """Return the number that follows some words in a text."""
    return float(re.search(re.escape(words) + r"\s*(-?[\d.]+(?:e[+-]?\d+)?)", text)[1])


def choose(page, figure, **settings):
    """Move the sliders of a figure to some values."""
    for control in figure.controls:
        if control.name not in settings:
            continue
        value = settings[control.name]
        if isinstance(control, Slider):
            place = list(control.values).index(value)
            page.locator(f"#{control.name}").fill(str(place))
        else:
            page.locator(f"#{control.name}").set_checked(value)


def computed(page, figure, **settings):
    """Return the numbers that the script of a figure computes."""
    code = read(figure.script)
    run = f"([settings, data]) => {{ {code}; return figure.numbers(settings, data); }}"
    return page.evaluate(run, [settings, figure.data])


@every_figure
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1200])
def test_figure_fits_the_page_and_takes_the_color_of_its_text(show, name, width, color_scheme):
    page = show(FIGURES[name](), width=width, color_scheme=color_scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    color = page.locator("svg text").first.evaluate("text => getComputedStyle(text).fill")
    red = int(re.search(r"\d+", color)[0])
    assert (red > 128) == (color_scheme == "dark")
    assert page.locator(".live-figure > img").is_hidden()


@every_figure
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(show, name, color_scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason='needs axe-playwright-python: pip install "npformer[browser]"',
    )
    page = show(FIGURES[name](), color_scheme=color_scheme)
    violations = axe.Axe().run(page).response["violations"]
    assert not [v["id"] for v in violations if v["impact"] in ("serious", "critical")]


@every_figure
def test_arrow_keys_and_drags_change_the_numbers(show, name):
    page = show(FIGURES[name]())
    slider = page.get_by_role("slider").first
    at_start = said(page)

    slider.press(
        "ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight"
    )
    after_key = said(page)
    assert after_key != at_start

    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 1, middle, steps=5)
    page.mouse.up()
    assert slider.input_value() == "0"
    assert said(page) not in (at_start, after_key)


@every_figure
def test_every_control_has_a_name_and_every_slider_says_its_value(show, name):
    figure = FIGURES[name]()
    page = show(figure)
    for control in figure.controls:
        if isinstance(control, Slider):
            slider = page.get_by_role("slider", name=control.label, exact=True)
            text = slider.get_attribute("aria-valuetext").replace("\u2212", "-")
            assert float(text) == control.start
        else:
            assert page.get_by_role("checkbox", name=control.label).count() == 1
    assert page.locator(".line").get_attribute("aria-live") == "polite"


@every_figure
def test_picture_is_shown_where_scripts_do_not_run(open_page, name):
    figure = FIGURES[name]()
    page = open_page(PAGE.format(figure._repr_html_()), java_script_enabled=False)
    picture = page.locator("img")
    assert picture.is_visible() and picture.bounding_box()["height"] > 100
    assert picture.get_attribute("alt") == figure.description


def test_two_figures_on_one_page_do_not_mix(open_page):
    first = FIGURES["saturation"]()
    rng = np.random.default_rng(1)
    second = live_saturation(rng.normal(size=(1, 64)), rng.normal(size=(1, 4, 64)))
    page = open_page(PAGE.format(first._repr_html_() + second._repr_html_()))
    bars = [host.locator(".bar").count() for host in page.locator(".live-figure").all()]
    assert bars == [10 + 2, 4 + 2]


@pytest.mark.parametrize("divided", [False, True])
@pytest.mark.parametrize("d_k", [1, 16, 128])
def test_saturation_has_the_numbers_of_numpy(show, d_k, divided):
    figure = saturation()
    page = show(figure)
    scores = np.array(figure.data["scores"])[2, figure.data["sizes"].index(d_k)]
    if divided:
        scores = scores / np.sqrt(d_k)
    weights, entropy, gradient = saturation_numbers(scores)

    found = computed(page, figure, d_k=d_k, query=2, divided=divided)
    np.testing.assert_allclose(found["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(
        [found["entropy"], found["gradient"]], [entropy, gradient], atol=1e-12
    )

    choose(page, figure, d_k=d_k, query=2, divided=divided)
    text = said(page)
    np.testing.assert_allclose(number_after("weight", text), weights.max(), rtol=0.01)
    np.testing.assert_allclose(number_after("entropy", text), entropy, rtol=0.01)
    np.testing.assert_allclose(number_after("gradient", text), gradient, rtol=0.01)
    heights = page.locator(".bar").evaluate_all(
        "bars => bars.map(bar => Number(bar.getAttribute('height')))"
    )
    np.testing.assert_allclose(np.array(heights[:10]) / 100, weights, atol=1e-9)


def test_scores_of_saturation_are_dot_products_of_the_first_features():
    rng = np.random.default_rng(0)
    query = rng.normal(size=(1, 128))
    keys = rng.normal(size=(1, 10, 128))
    data = live_saturation(query, keys).data
    for place, d_k in enumerate(data["sizes"]):
        expected = keys[0, :, :d_k] @ query[0, :d_k]
        np.testing.assert_allclose(data["scores"][0][place], expected, atol=0.001)


@pytest.mark.parametrize(("position", "other"), [(0, 0), (7, 100), (73, 10)])
def test_clock_hands_have_the_numbers_of_numpy(show, position, other):
    figure = live_clock_hands(16)
    page = show(figure)
    table = sinusoids(101, 16)  # (101, 16)

    found = computed(page, figure, position=position, other=other)
    angles = np.array([hand["angle"] for hand in found["hands"]])
    np.testing.assert_allclose(np.sin(angles), table[position, 0::2], atol=1e-12)
    np.testing.assert_allclose(np.cos(angles), table[position, 1::2], atol=1e-12)
    np.testing.assert_allclose(found["product"], table[position] @ table[other], atol=1e-12)

    choose(page, figure, position=position, other=other)
    product = number_after(f"position {other}:", said(page))
    np.testing.assert_allclose(product, found["product"], rtol=0.01)
    shown = [text for text in page.locator("svg text").all_text_contents() if ", " in text]
    values = [text.replace("\u2212", "-") for text in shown if "features" not in text]
    pairs = np.array([text.split(", ") for text in values], dtype=float)
    np.testing.assert_allclose(pairs.ravel(), table[position], atol=0.00501)

    # the end of each hand is at the sine to the right, and at the cosine upward
    hands = page.locator(".stroke.blue").evaluate_all(
        "hands => hands.map(hand => hand.getAttribute('d'))"
    )
    ends = np.array([re.findall(r"-?[\d.]+(?:e-\d+)?", hand)[2:] for hand in hands], dtype=float)
    np.testing.assert_allclose(
        (ends - [50, 64]) / [40, -40], table[position].reshape(8, 2), atol=1e-9
    )
