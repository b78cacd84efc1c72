"""The step debugger in a browser: going through it, looking at arrays, and what its pages must
bear.
"""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

import npformer as npf
from helpers.pictures import StepFrame
from npformer import Module, Parameter
from npformer.layers import LayerNorm, Softmax
from npformer.tasks import Objective, TranslationBatch
from npformer.training import Adam
from npformer.visualization.stepper.page import page_of
from npformer.visualization.stepper.recorder import Recorder

pytestmark = pytest.mark.browser

STATE = """() => [...[".figure-panel", ".code-panel", ".array-panel", "nav"].map(
  name => document.querySelector(name).innerHTML), document.querySelector("input[type=range]").value]"""
COLORS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join());
}"""
ABOVE = "178,24,43"
BELOW = "33,102,172"
NOT_A_NUMBER = "214,180,0"
DIGITS = 6e-4  # an entry is written with four digits


def number(text):
    return float(text.replace("\u2212", "-"))


@pytest.fixture(scope="module")
def recording(make_model):
    objective = Objective(make_model(dropout=0.0, n_decoder_layers=2))
    return npf.step_through(objective, TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]]))


@pytest.fixture
def show(open_page):
    """Open a recording at a place, and wait until its scripts have unpacked it."""

    def show_(shown, place="", **settings):
        page = open_page(shown if isinstance(shown, str) else shown.html(), **settings)
        page.wait_for_selector(".app")
        if place:
            go(page, place)
        return page

    return show_


def go(page, place):
    """Set the page's address, and wait until it has gone there."""
    move = """place => new Promise(done => {
      const before = location.href;
      addEventListener("hashchange", () => setTimeout(done), { once: true });
      location.hash = place;
      if (location.href === before) done();
    })"""
    page.evaluate(move, place)


def search(page, words):
    page.locator("[name=search]").fill(words)
    page.keyboard.press("Enter")


def press(page, key, times=1):
    for _ in range(times):
        page.keyboard.press(key)


def test_stepping_back_restores_every_earlier_state(show, recording):
    page = show(recording)
    press(page, "s")
    press(page, "Home")
    states = [page.evaluate(STATE)]
    for _ in range(30):
        press(page, "ArrowRight")
        states.append(page.evaluate(STATE))
    assert len({state[-1] for state in states}) == 31
    for state in reversed(states[:-1]):
        press(page, "ArrowLeft")
        assert page.evaluate(STATE) == state
    press(page, "End")
    assert (
        page.locator("nav > output").inner_text()
        == f"{len(recording.steps)} / {len(recording.steps)}"
    )
    press(page, "ArrowRight")
    press(page, "Home")
    assert page.evaluate(STATE) == states[0]


def test_no_step_raises_an_error(show, make_model):
    # each takes a moment
    recording = npf.step_through(Objective(make_model()), TranslationBatch.of([[4, 5]], [[6]]))
    page = show(recording)
    step = """n => {
      const slider = document.querySelector("input[type=range]");
      for (let i = 0; i < n; i++) { slider.value = i; slider.dispatchEvent(new Event("input")); }
    }"""
    page.evaluate(step, len(recording.steps))
    assert page.locator(".current").count() == 1


def test_scripts_find_every_array_exactly(show, recording):
    mounted = "data => { mount(data); window.arrays = data.views.map((_, i) => [...arrayOf(data, i).values]); }"
    page, arrays = (
        show(recording.html().replace("then(mount)", f"then({mounted})")),
        recording.recorder.arrays,
    )
    for number, values in enumerate(page.evaluate("arrays")):
        np.testing.assert_array_equal(
            np.array(values, arrays[number].dtype), arrays[number].reshape(-1)
        )


def test_step_over_and_step_out_follow_the_call(show, recording):
    steps, calls = recording.steps, recording.recorder.calls
    [inside, *_] = (
        i
        for i, s in enumerate(steps)
        if s.done > i + 1 and calls[s.call].module == "decoder.layers.1"
    )
    page = show(recording, f"decoder.layers.1:forward:{steps[inside].line}")
    count = page.locator("nav > output")
    press(page, "ArrowDown")
    assert count.inner_text().startswith(f"{steps[inside].done + 1} /")
    press(page, "ArrowUp")
    assert count.inner_text().startswith(f"{calls[steps[inside].call].last + 2} /")


def test_next_layer_visits_the_figure_forward_and_backward(show, recording):
    page = show(recording)
    press(page, "Home")
    seen = []
    for _ in range(60):
        press(page, "PageDown")
        current = page.locator(".box[aria-current=true]")
        seen.append(current.get_attribute("aria-label").split(",")[0] if current.count() else None)
    labels = [label for label in seen if label]
    boxes = page.locator(".box").all()
    names = [box.get_attribute("aria-label").split(",")[0] for box in boxes]
    assert labels[: len(names)] == names  # forward from bottom to top, and from left to right
    assert labels[len(names) :][:3] == ["Softmax", "Linear", "Add & Norm"]
    assert page.locator(".direction").inner_text() == "backward"
    press(page, "PageUp", 70)
    assert page.locator(".direction").inner_text() == "forward"


def test_click_on_figure_box_opens_its_layer(show, recording):
    page = show(recording)
    page.get_by_role("button", name=re.compile("^Feed Forward, decoder.layers.0")).click()
    title = page.locator(".code-panel h2").first.inner_text()
    assert title.startswith("decoder.layers.0.feed_forward.sublayer.forward")
    assert page.locator(".box.passed").count() > 5
    markers = "all => (s => [s.markerStart, s.markerEnd].map(m => m !== 'none'))(getComputedStyle(all[0]))"
    assert page.locator(".arrow").evaluate_all(markers) == [False, True]  # up
    press(page, "End")
    assert page.locator(".arrow").evaluate_all(markers) == [True, False]  # down
    assert page.locator(".box.back").count() == page.locator(".box").count()
    assert page.locator(".arrow.passed.back").count() == page.locator(".arrow").count()
    page.get_by_role("button", name=re.compile("^Add & Norm, encoder.layers.0.self")).click()
    assert page.locator(".direction").inner_text() == "backward"


def test_search_moves_between_matches(show, recording):
    page = show(recording)
    search(page, "decoder.layers.1 dscores")
    found = recording.find("decoder.layers.1 dscores")
    assert page.locator("form output").inner_text() == f"1 of {len(found)}"
    assert page.locator(".array-panel h2").inner_text() == "scores | dscores"
    assert page.locator("nav > output").inner_text().startswith(f"{found[0][0].done + 1} /")
    page.keyboard.press("Enter")
    assert page.locator("nav > output").inner_text().startswith(f"{found[1][0].done + 1} /")


def test_search_accepts_functions_and_classes_and_names_unknown_words(show, recording):
    page = show(recording)
    message = page.locator("form output")
    for words in ("LayerNorm backward", "layernorm dxhat", "norm.backward"):
        page.locator("[name=search]").fill(words)
        n_found = len(recording.find(words))
        assert n_found and message.inner_text() == f"{n_found} found, Enter goes there"
        page.keyboard.press("Enter")
        assert message.inner_text() == f"1 of {n_found}"
        assert "norm.backward LayerNorm(" in page.locator(".code-panel h2").first.inner_text()
    for words, failure in (("LayerNrm dy", "no layernrm"), ("loss dxhat", "with all these words")):
        search(page, words)
        assert message.inner_text().endswith(failure) and "failed" in message.get_attribute("class")


def test_url_hash_identifies_line_and_layer(show, recording, tmp_path):
    page = show(recording, "decoder.layers.1 dscores")
    page.wait_for_function("location.hash.includes(':')")
    address = page.evaluate("location.hash")
    assert re.fullmatch(
        r"#decoder\.layers\.1\.cross_attention\.sublayer\.attention:backward:\d+;dscores", address
    )
    state = page.evaluate(STATE)
    press(page, "Home")
    page.wait_for_function("address => location.hash !== address", arg=address)
    go(page, address)
    assert page.evaluate(STATE) == state
    page.goto(page.url.partition("#")[0] + "#no.such.place:forward:1")
    page.wait_for_selector(".app")


def test_entries_and_sums_equal_numpy(show, recording):
    arrays, calls = recording.recorder.arrays, recording.recorder.calls
    page, rng = show(recording), np.random.default_rng(0)
    candidates = [
        (step, made, product)
        for i, step in enumerate(recording.steps)
        for made in step.made
        for product in step.products
        if made.kind in ("local", "gradient")
        and (arrays[product[2]] @ arrays[product[3]]).size == recording[made].size
    ]
    for place in rng.choice(len(candidates), 25, replace=False):
        step, made, (*_, left, right) = candidates[place]
        call = calls[step.call]
        if (
            made.kind == "local"
            and sum((s.call, s.line) == (step.call, step.line) for s in recording.steps) > 1
        ):
            continue
        go(page, f"{call.module}:{call.function.name}:{step.line};{made.name}")
        array, result = recording[made], (arrays[left] @ arrays[right]).reshape(-1)
        entry = page.locator(".entry strong").inner_text()
        index = tuple(
            map(int, re.search(rf"{re.escape(made.name)}\[([\d, ]+)\] = ", entry)[1].split(","))
        )
        shown = number(re.search(rf"{re.escape(made.name)}\[[\d, ]+\] = (\S+)", entry)[1])
        np.testing.assert_allclose(shown, array[index], rtol=DIGITS)
        total = float(page.locator(".sum strong").get_attribute("data-sum"))
        np.testing.assert_allclose(
            total, result[np.ravel_multi_index(index, array.shape)], rtol=1e-4, atol=1e-7
        )


def test_array_and_gradient_are_paired_with_a_map_per_head(show, recording):
    page = show(recording, "decoder.layers.1.cross_attention dweights")
    assert page.locator(".array-panel h2").inner_text() == "weights | dweights"
    assert page.locator(".maps.pair canvas").count() == 4  # two heads
    assert page.locator(".maps figcaption").all_inner_texts() == [
        f"{name}, head {head}" for head in (0, 1) for name in ("weights", "dweights")
    ]
    page.locator("select[name=text]").select_option("1")
    assert "weights[1, 0, " in page.locator(".entry").inner_text()
    assert (
        page.locator(".code-panel h3").inner_text() == "Forward of the same layer, with its values"
    )
    assert page.locator(".code-panel .lines").count() == 2


def test_update_shows_parameters_before_and_after(show, make_model):
    objective = Objective(make_model())
    adam = Adam(objective.parameters(), learning_rate=0.1)
    recording = npf.step_through(objective, TranslationBatch.of([[4, 5]], [[6]]), adam)
    page = show(recording)
    search(page, "Adam encoder.layers.0.feed_forward.norm.gain")
    assert page.locator(".direction").inner_text() == "update"
    before, after = page.locator(".statistics").all_inner_texts()
    assert before.startswith("before: ") and "mean 1 " in before and after.startswith("after: ")
    assert float(objective.model.encoder.layers[0].feed_forward.norm.gain.data.mean()) != 1


def test_pointer_and_keys_select_an_entry(show, recording):
    page = show(recording, "decoder.layers.0.cross_attention weights")
    canvas = page.locator(".maps canvas").first
    canvas.focus()
    press(page, "ArrowRight", 2)
    press(page, "ArrowDown")
    _, made = recording.find("decoder.layers.0.cross_attention weights")[0]
    text = page.locator(".entry strong").inner_text()
    index = tuple(map(int, re.search(r"\[([\d, ]+)\]", text)[1].split(",")))
    np.testing.assert_allclose(
        number(text.split("= ")[1].split()[0]), recording[made][index], rtol=DIGITS
    )
    assert page.locator(".live").inner_text().startswith("weights[")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5)
    last = ", ".join(str(size - 1) for size in recording[made].shape[2:])
    assert f"weights[0, 0, {last}] = " in page.locator(".entry").inner_text()

    # no key leaves the matrix
    for key in ("ArrowRight", "ArrowDown"):
        press(page, key)
        assert f"weights[0, 0, {last}] = " in page.locator(".entry").inner_text()


def test_chip_selects_its_array_and_keeps_focus(show, recording):
    page = show(recording, "decoder.layers.0.cross_attention weights")
    page.locator(".chip", has_text="query").first.click()
    assert page.locator(".array-panel h2").inner_text() == "query"
    assert page.evaluate("document.activeElement.className").startswith("chip")
    assert page.locator(".chip[aria-pressed=true]").count() == 1
    page.get_by_role("button", name="cross_attention", exact=True).first.click()
    assert "cross_attention" in page.locator(".code-panel h2").first.inner_text()


def test_queries_keys_and_values_have_a_color_each(show, recording):
    page = show(recording, "decoder.layers.1.self_attention attend q")
    color = "element => getComputedStyle(element).color"
    colors = {page.locator("body").evaluate(color)}
    for role, name in (("query", "q"), ("key", "k"), ("value", "v")):
        chip = page.locator(f".chip[data-name={name}] .{role}").first
        assert chip.inner_text() == name
        colors.add(chip.evaluate(color))
    assert len(colors) == 4


def test_dy_is_paired_with_the_result_of_forward_to_which_a_key_and_a_button_turn(show, recording):
    norm = "decoder.layers.1.feed_forward.norm"
    page = show(recording, f"{norm} xhat")
    title, array = page.locator(".code-panel h2").first, page.locator(".array-panel h2")
    press(page, "b")
    assert (
        title.inner_text().startswith(f"{norm}.backward") and array.inner_text() == "returned | dy"
    )
    (_, y), (last, _) = recording.find(f"{norm} returned")
    page.locator("input[type=range]").fill(str(last.done))
    assert page.locator(".code-panel .chip.returned").first.inner_text().startswith("returned")
    page.locator(".code-panel .chip", has_text="dy").first.click()
    std = re.search(r"^returned: .* std (\S+)", page.locator(".statistics").first.inner_text())[1]
    np.testing.assert_allclose(number(std), recording[y].std(), rtol=DIGITS)
    page.get_by_role("button", name="from a layer's forward to its backward").click()
    assert title.inner_text().startswith(f"{norm}.forward") and array.inner_text() == "returned"


@pytest.mark.parametrize(("layer", "n_lines"), [(LayerNorm(4), 10), (Softmax(), 4)])
def test_entries_of_plain_lines_are_explained_in_numbers(open_page, layer, n_lines):
    rng = np.random.default_rng(0)
    for _, parameter in layer.members(Parameter):
        parameter.data[...] = rng.normal(size=4)
    with Recorder(layer) as recorder:
        layer.backward(rng.normal(size=layer.forward(rng.normal(size=(3, 4))).shape))
    page, explained = open_page(page_of(recorder, {})), set()
    page.wait_for_selector(".app")
    for step in range(len(recorder.steps)):
        page.locator("input[type=range]").fill(str(step))
        for words in page.locator("p.sum", has_text=" = ").all_inner_texts():
            expression, numbers, result = (
                words.replace("·", "*").replace("\u2212", "-").split(" = ")
            )
            explained.add(expression)
            names = {"exp": np.exp, "sqrt": np.sqrt, "self": layer}
            if "largest" not in numbers:
                np.testing.assert_allclose(
                    eval(numbers, names), float(result), rtol=0.01, atol=1e-4
                )
    assert len(explained) == n_lines
    row = page.locator("p.sum").last.inner_text()
    assert re.match(r"row \[\d\] of returned: sum \S+, mean ", row) and ("· xhat" in row) == (
        type(layer) is LayerNorm
    )


class Strange(Module):
    """Makes what is not finite, what is empty, and what has other numbers of axes."""

    def __init__(self):
        self.weight = Parameter(np.ones((2, 2)))

    def forward(self, x):
        broken = np.array([[np.nan, np.inf], [-np.inf, 0.0]])
        masked = np.array([[1.0, 3.0], [-np.inf, 4.0]])
        nothing = np.full((2, 2), np.nan)
        wide = np.append(np.nan, np.zeros(199))  # several entries have one pixel
        empty = np.zeros((0, 3))
        no_columns = np.zeros((3, 0))
        number = 0.25
        deep = np.arange(32.0).reshape(2, 2, 2, 2, 2)
        product = broken @ self.weight.data
        batched = deep @ self.weight.data
        return self.remember(
            x, broken, masked, nothing, wide, empty, no_columns, number, deep, product, batched
        )

    def backward(self, dy):
        self.recall(dy)
        return dy


def test_non_finite_and_empty_arrays_can_be_shown(open_page):
    layer = Strange()
    with Recorder(layer) as recorder, np.errstate(all="ignore"):
        layer.backward(layer.forward(np.ones((1, 2))))
    page = open_page(page_of(recorder, {}))
    page.wait_for_selector(".app")
    for name in (
        "broken",
        "nothing",
        "wide",
        "empty",
        "no_columns",
        "number",
        "deep",
        "product",
        "batched",
    ):
        search(page, name)
        assert page.locator(".array-panel h2").inner_text().startswith(name)
    # 30 + 31, in the last of the matrices
    assert page.locator(".sum strong").get_attribute("data-sum") == "61"
    search(page, "broken")
    assert "3 not finite" in page.locator(".statistics").inner_text()
    assert "NaN" in page.locator(".entry").inner_text()
    colors = page.locator(".maps canvas").evaluate(COLORS)
    assert {ABOVE, BELOW, NOT_A_NUMBER} <= set(colors)
    search(page, "wide")
    assert NOT_A_NUMBER in page.locator(".chip[data-name=wide] canvas").evaluate(COLORS)
    search(page, "masked")
    std = re.search(r"std (\S+)", page.locator(".statistics").inner_text())[1]
    np.testing.assert_allclose(number(std), np.std([1.0, 3.0, 4.0]), rtol=DIGITS)


class Names:
    """A vocabulary whose tokens are markup and lone surrogates."""

    tokens = [
        "</script>",
        "<img src=x onerror=alert(1)>",
        "\udc80",
        "\u202e",
        "${x}",
        "&lt;",
        *"\"'\\`\x00",
        "$a",
    ]


@pytest.mark.parametrize(("source", "target"), [(1, 0), (3, 3), (18, 18)])
def test_hostile_tokens_and_lengths_can_be_shown(show, make_model, source, target):
    rng = np.random.default_rng(0)
    batch = TranslationBatch.of([rng.integers(4, 12, source)], [rng.integers(4, 12, target)])
    page = show(npf.step_through(Objective(make_model()), batch, vocabularies=[Names(), Names()]))
    for place in ("decoder.layers.0.cross_attention weights", "generator returned"):
        search(page, place)
        assert page.locator(".maps canvas").count() >= 1
    assert page.locator("img").count() == 0


def test_two_hundred_tokens_can_be_shown(show, make_model):
    batch = TranslationBatch.of([4 + np.arange(199) % 8], [4 + np.arange(199) % 8])
    page = show(
        npf.step_through(Objective(make_model(max_len=200)), batch),
        "decoder.layers.0.cross_attention weights",
    )
    assert page.locator(".maps canvas").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_debugger_fits_window_in_light_and_dark(show, recording, scheme, width):
    page = show(
        recording,
        "decoder.layers.1 dscores",
        width=width,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page.locator("[name=search]").fill("LayerNorm backward")  # its hits are next to it
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light = sum(map(int, paper)) / 765
    assert light > 0.9 if scheme == "light" else light < 0.2


def test_every_control_has_an_accessible_name(show, recording):
    page = show(recording, "decoder.layers.1 dscores")
    nameless = """() => [...document.querySelectorAll("button, input, select, canvas[role=img], section, nav")].filter(
      e => !(e.getAttribute("aria-label") || e.innerText || e.labels?.length)).map(e => e.outerHTML)"""
    assert page.evaluate(nameless) == []
    assert page.locator("[aria-live=polite]").count() == 1
    assert page.locator("li[aria-current=step]").count() == 1


def test_page_without_javascript_shows_table_of_layers(open_page, recording):
    page = open_page(recording.html(), java_script_enabled=False)
    assert page.locator("table tr").count() > 50 and page.locator("table").is_visible()
    assert "decoder.layers.1.feed_forward.norm" in page.locator("table").inner_text()


def test_notebook_shows_debugger_in_iframes_of_one_page(open_page, recording):
    first, arrays = StepFrame(recording, "xhat"), ["dscores", "dvalue"]
    frames = "".join(frame._repr_html_() for frame in (first, *map(first.at, arrays)))
    page = open_page(f"<!DOCTYPE html><title>notebook</title>{frames}")
    assert not page.locator(
        "table"
    ).first.is_visible()  # only where a notebook removes iframe and style
    for i, array in enumerate(["xhat", *arrays]):
        heading = page.frame_locator("iframe").nth(i).locator(".array-panel h2")
        assert array in heading.inner_text().split()


def test_narrow_frame_of_a_notebook_shows_the_array_without_scrolling(open_page, recording):
    frame = StepFrame(recording, "table.grad")._repr_html_()
    page = open_page(f"<!DOCTYPE html><title>notebook</title>{frame}")
    page.set_viewport_size({"width": 760, "height": 800})
    array = page.frame_locator("iframe").locator(".array-panel .maps")
    box = page.locator("iframe").bounding_box()
    place = array.bounding_box()
    assert place["y"] + 100 < box["y"] + box["height"]


def test_the_pictures_of_the_readme_are_taken_at_a_line_and_on_a_tour(
    chromium, recording, tmp_path
):
    screenshot = runpy.run_path(str(Path(npf.__file__).parents[1] / "tools" / "screenshot.py"))
    page = tmp_path / "step.html"
    recording.save(page)
    for colors in ("light", "dark"):
        picture = tmp_path / f"{colors}.png"
        screenshot["take"](chromium, page, picture, colors=colors)
        assert 20_000 < picture.stat().st_size < 150_000
        corner = Image.open(picture).convert("L").getpixel((0, 0))
        assert corner > 200 if colors == "light" else corner < 50

    screenshot["take_loop"](chromium, page, tmp_path / "step.webp")
    with Image.open(tmp_path / "step.webp") as loop:
        pictures = [picture.copy() for picture in ImageSequence.Iterator(loop)]
        durations = []
        for place in range(loop.n_frames):
            loop.seek(place)
            loop.load()
            durations.append(loop.info["duration"])
    assert len({picture.tobytes() for picture in pictures}) == len(pictures) == 12
    assert sum(durations) == 12_000


class Wrapped(Module):
    """A layer with a statement of several lines."""

    def forward(self, x):
        # fmt: off
        y = 2 * (
            x + 1
        )
        # fmt: on
        return self.remember(y)


def test_statement_of_several_lines_is_not_explained_by_its_first(open_page):
    layer = Wrapped()
    with Recorder(layer) as recorder:
        layer.forward(np.ones((3, 4)))
    page = open_page(page_of(recorder, {}))
    page.wait_for_selector(".app")
    for step in range(len(recorder.steps)):
        page.locator("input[type=range]").fill(str(step))
        assert not page.locator("p.sum", has_text="(").all_inner_texts()


class HandsOn(Module):
    """A layer without a line that computes an array."""

    def forward(self, x):
        y = x
        return y


def test_arrows_go_from_line_to_line_where_none_computes(open_page):
    layer = HandsOn()
    with Recorder(layer) as recorder:
        layer.forward(np.ones((3, 4)))
    page = open_page(page_of(recorder, {}))
    page.wait_for_selector(".app")
    press(page, "ArrowRight")
    assert page.locator("nav > output").inner_text().startswith("2 /")
