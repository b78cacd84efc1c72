"""Live figures: sliders change the numbers, the numbers are NumPy's, and every reader can use them."""

import re
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest

from helpers.course_sentence import SOURCE, CourseSentence
from helpers.heads_off import attentions, heads_off, probabilities_of_right
from helpers.live_figures import (
    live_alpha,
    live_backward,
    live_clock_hands,
    live_head_off,
    live_ravine,
    live_saturation,
    live_temperature,
)
from helpers.live_figures.alpha import alpha_scores
from helpers.live_figures.frame import Slider, read
from helpers.live_figures.ravine import N_STEPS, STEEP, ravine_paths
from helpers.live_figures.saturation import saturation_numbers
from helpers.live_figures.temperature import LOWEST, N_BARS, temperature_numbers
from helpers.phrase_tree import DANKE
from npformer.decoding import Sampler
from npformer.layers.positional_encoding import sinusoids

pytestmark = pytest.mark.browser

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"

# a page with dark or light text, from which a figure takes its colors
PAGE = """<!doctype html><html lang="en"><title>A figure</title>
<style>body {{ color: #222; background: #fff; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #131416; }} }}</style>
<body><main><h1>A figure</h1>{}</main></body></html>"""


def saturation():
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(3, 128))
    keys = rng.normal(size=(3, 10, 128))
    return live_saturation(queries, keys, gradient=True)


def temperature():
    characters = [*"abcdefghijklmnopqr", " ", "\n"]
    logits = 2 * np.random.default_rng(0).normal(size=(6, len(characters)))
    return live_temperature("a bad ", characters, logits, read=3)


def loss_graph(w=2.0, c=-1.0, x=3.0, t=7.0):
    """Return the values of the graph of notebook 09, and its gradients by moving each value."""
    values = values_from({"w": w, "c": c, "x": x, "t": t})
    gradients = {}
    for name, value in values.items():
        higher = values_from({**values, name: value + 1e-6}, name)
        lower = values_from({**values, name: value - 1e-6}, name)
        gradients[name] = (higher["L"] - lower["L"]) / 2e-6
    return values, gradients


def values_from(known, fixed=None):
    """Compute the graph anew, except one value that is fixed."""
    operations = {
        "a": lambda v: v["w"] * v["x"],
        "b": lambda v: v["a"] + v["c"],
        "y": lambda v: np.maximum(0.0, v["b"]),
        "e": lambda v: v["y"] - v["t"],
        "L": lambda v: v["e"] ** 2,
    }
    values = dict(known)
    for name, operation in operations.items():
        if name != fixed:
            values[name] = operation(values)
    return values


@cache
def head_off():
    """Return the figure of the last cross-attention, and what it was made from."""
    sentence = CourseSentence()
    attention = attentions(sentence.model)["cross 1"]
    return live_head_off(sentence, attention), sentence, attention


FIGURES = {
    "saturation": saturation,
    "clock hands": partial(live_clock_hands, 16),
    "backward": lambda: live_backward(loss_graph()[0]),
    "ravine": live_ravine,
    "alpha": lambda: live_alpha({sentence: n / 200 for sentence, n in DANKE.items()}),
    "head off": lambda: head_off()[0],
    "temperature": temperature,
}
every_figure = pytest.mark.parametrize("name", FIGURES)
with_slider = pytest.mark.parametrize("name", [name for name in FIGURES if name != "head off"])


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
    return float(re.search(rf"{re.escape(words)} ({NUMBER})", text)[1])


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


@with_slider
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
    assert said(page) != after_key


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


def test_space_switches_a_head_off_and_on(show):
    page = show(FIGURES["head off"]())
    at_start = said(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert not page.get_by_role("checkbox", name="head 1").is_checked()
    assert said(page).startswith("Without head 1: ")
    page.keyboard.press("Space")
    assert said(page) == at_start


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
    second = live_saturation(rng.normal(size=(1, 64)), rng.normal(size=(1, 4, 64)), gradient=True)
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


def test_saturation_without_gradient_shows_and_says_weights_only(show):
    rng = np.random.default_rng(1)
    page = show(live_saturation(rng.normal(size=(1, 64)), rng.normal(size=(1, 4, 64))))
    assert page.locator(".bar").count() == 4
    assert said(page).startswith("d_k = 64, not divided: largest weight ")
    assert "gradient" not in page.locator(".live-figure").inner_text()


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


@pytest.mark.parametrize(("w", "c"), [(2, -1), (2, -7), (0.5, 3), (-1, 2)])
def test_backward_has_the_numbers_of_numpy(show, w, c):
    values, gradients = loss_graph(w, c)
    figure = live_backward(values)
    page = show(figure)
    found = computed(page, figure, w=w, c=c)
    for name, value in values.items():
        np.testing.assert_allclose(found["values"][name], value, atol=1e-12)
        np.testing.assert_allclose(found["gradients"][name], gradients[name], atol=1e-6)

    choose(page, figure, w=w, c=c, step=6)
    text = " ".join(page.locator("svg text").all_text_contents()).replace("\u2212", "-") + " "
    for name, value in values.items():
        assert f" {name} = {value:g} " in f" {text}"
        assert f"d{name} = {round(gradients[name], 6) + 0.0:g} " in text
    last = f"dw = x da = 3 · {gradients['a']:.0f}".replace("-0", "0")
    assert said(page).replace("(", "").replace(")", "").startswith(last)


def test_gradients_appear_one_operation_at_a_time(show):
    page = show(FIGURES["backward"]())
    step = page.get_by_role("slider", name="step of backward")
    seen = []
    for _ in range(7):
        texts = page.locator("svg text.purple").all_text_contents()
        seen.append({text.split(" = ")[0] for text in texts if text})
        assert page.locator("path.purple").count() == len(seen[-1])
        step.press("ArrowRight")
    new = [after - before for before, after in pairwise(seen)]
    assert new == [{"dL"}, {"de"}, {"dy", "dt"}, {"db"}, {"da", "dc"}, {"dw", "dx"}]


def test_relu_passes_no_gradient_at_its_kink(show):
    figure = FIGURES["backward"]()
    page = show(figure)
    gradients = computed(page, figure, w=2, c=-6)["gradients"]
    assert gradients["y"] == -14 and gradients["b"] == 0


@pytest.mark.parametrize(
    ("descent_rate", "adam_rate", "beta1"),
    [(0.019, 0.2, 0.9), (0.001, 0.5, 0.5), (0.021, 0.01, 0.99)],
)
def test_ravine_has_the_paths_of_numpy(show, descent_rate, adam_rate, beta1):
    figure = live_ravine()
    page = show(figure)
    settings = {"descent_rate": descent_rate, "adam_rate": adam_rate, "beta1": beta1}
    descent, adam = ravine_paths(**settings)

    found = computed(page, figure, **settings)
    np.testing.assert_allclose(found["descent"], descent, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["adam"], adam, rtol=1e-9, atol=1e-12)
    assert len(descent) == len(adam) == N_STEPS + 1

    choose(page, figure, **settings)
    losses = re.findall(f"loss ({NUMBER})", said(page))
    expected = [(x**2 + STEEP * y**2) / 2 for x, y in (descent[-1], adam[-1])]
    np.testing.assert_allclose(np.array(losses, dtype=float), expected, rtol=0.01)
    drawn = page.locator("polyline.blue").get_attribute("points").split()
    points = np.array([point.split(",") for point in drawn], dtype=float)
    np.testing.assert_allclose(points, 40 * (adam * [1, -1] + [5, 1.6]), atol=1e-6)


@pytest.mark.parametrize("alpha", [0, 0.272, 0.274, 1])
def test_alpha_has_the_scores_of_numpy(show, alpha):
    figure = FIGURES["alpha"]()
    page = show(figure)
    log_p = np.log(np.array(list(DANKE.values())) / 200)
    lengths = np.array([len(sentence.split()) + 1 for sentence in DANKE])
    scores = alpha_scores(log_p, lengths, alpha)

    found = computed(page, figure, alpha=alpha)
    np.testing.assert_allclose(found["scores"], scores, atol=1e-12)
    np.testing.assert_allclose(found["penalties"], log_p / scores, atol=1e-12)

    choose(page, figure, alpha=alpha)
    best = list(DANKE)[scores.argmax()]
    assert f'"{best}" wins' in said(page)
    assert best == ("thanks" if alpha <= 0.272 else "thank you very much")
    np.testing.assert_allclose(number_after("score", said(page)), scores.max(), rtol=0.01)

    # the dots are on a line from the lowest score to 0, and the one farthest right is the winner's
    dots = page.locator("circle")
    places = dots.evaluate_all("dots => dots.map(dot => Number(dot.getAttribute('cx')))")
    lowest = figure.data["lowest"]
    np.testing.assert_allclose(places, 276 - 80 * scores / lowest, atol=1e-9)
    assert "blue" in dots.nth(int(np.argmax(places))).get_attribute("class")
    assert page.locator("circle.blue").count() == 1


def test_tree_of_alpha_has_a_line_per_beginning_as_wide_as_it_is_probable(show):
    page = show(FIGURES["alpha"]())
    widths = {}
    for sentence, n in DANKE.items():
        words = sentence.split()
        for i in range(len(words)):
            beginning = tuple(words[: i + 1])
            widths[beginning] = widths.get(beginning, 1) + 10 * n / 200
    lines = page.locator("path[stroke-width]")
    drawn = lines.evaluate_all(
        "lines => lines.map(line => Number(line.getAttribute('stroke-width')))"
    )
    np.testing.assert_allclose(drawn, list(widths.values()), atol=1e-9)
    texts = page.locator("svg text.start").all_text_contents()
    assert texts == [beginning[-1] for beginning in widths]


@pytest.mark.parametrize("off", [[], [2], [0, 3], [0, 1, 2, 3]])
def test_head_off_has_the_numbers_of_the_model(show, off):
    figure, sentence, attention = head_off()
    page = show(figure)
    settings = {f"head_{head}": head not in off for head in range(4)}
    with heads_off(attention, off):
        right = probabilities_of_right(sentence.model, sentence.batch)
        [translation] = sentence.translator.translate([SOURCE])
    np.testing.assert_allclose(computed(page, figure, **settings)["right"], right, atol=1e-4)

    choose(page, figure, **settings)
    widths = page.locator(".bar").evaluate_all(
        "bars => bars.map(bar => Number(bar.getAttribute('width')))"
    )
    np.testing.assert_allclose(np.array(widths) / 110, right, atol=1e-4)
    assert f'"{translation}"' in said(page)


def test_head_off_names_words_that_are_more_probable_than_the_right_ones(show):
    figure = FIGURES["head off"]()
    page = show(figure)
    assert page.locator("text.orange").count() == 0
    choose(page, figure, head_2=False)
    others = page.locator("text.orange").all_text_contents()
    assert [text.split()[0] for text in others] == ["die", "ein"]
    assert "aus loses most: from 0.88 to 0.00" in said(page)


def test_drawing_of_head_off_is_not_cut_off_in_any_combination(show):
    figure = FIGURES["head off"]()
    page = show(figure, width=320)
    for number in range(16):
        choose(page, figure, **{f"head_{head}": not number >> head & 1 for head in range(4)})
        ends = page.locator("svg text").evaluate_all(
            "texts => texts.map(text => text.getBBox().x + text.getBBox().width)"
        )
        assert max(ends) <= 320


@pytest.mark.parametrize(
    ("temperature_", "top_k", "top_p"),
    [(1, 20, 1), (2, 20, 0.9), (0.1, 5, 0.5), (5, 3, 0.8), (1.5, 10, 0.7)],
)
def test_temperature_has_the_numbers_of_numpy(show, temperature_, top_k, top_p):
    figure = temperature()
    page = show(figure)
    settings = {"read": 2, "temperature": temperature_, "top_k": top_k, "top_p": top_p}
    p, drawn = temperature_numbers(figure.data["logits"][2], temperature_, top_k, top_p)

    found = computed(page, figure, **settings)
    np.testing.assert_allclose(found["p"], p, atol=1e-12)
    np.testing.assert_allclose(found["drawn"], drawn, atol=1e-12)

    choose(page, figure, **settings)
    text = said(page)
    n_kept = np.count_nonzero(drawn)
    assert text.startswith(f"{n_kept} of 20 characters remain; cut off: ")
    np.testing.assert_allclose(number_after("cut off:", text), p[drawn == 0].sum(), rtol=0.01)

    # solid bars are what is drawn from, as high as their logarithm
    heights = page.locator(".bar").evaluate_all(
        "bars => bars.map(bar => Number(bar.getAttribute('height')))"
    )
    best = np.sort(drawn[drawn > 0])[::-1][:N_BARS]
    expected = 112 * (1 - np.log(np.maximum(best, LOWEST)) / np.log(LOWEST))
    np.testing.assert_allclose(heights, expected, atol=1e-6)
    assert page.locator(".dashed").count() == N_BARS


def test_characters_of_temperature_are_those_that_sampler_draws():
    logits = np.array(temperature().data["logits"])[2:3]
    settings = {"temperature": 1.5, "top_k": 10, "top_p": 0.7}
    _, drawn = temperature_numbers(logits[0], **settings)
    ids = Sampler(**settings, rng=0)(np.repeat(logits, 5000, axis=0))
    counts = np.bincount(ids, minlength=20)
    np.testing.assert_allclose(counts / 5000, drawn, atol=0.025)
    assert not counts[drawn == 0].any()
