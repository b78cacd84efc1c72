"""The small maps: one for every layer and head, all at once."""

import numpy as np
import pytest

pytestmark = pytest.mark.browser

PIXELS = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return [height, width, data.filter((_, place) => place % 4 === 3)].map(value => value.length ? [...value] : value);
}"""
FOCUSED = """() => {
  const root = document.querySelector(".npformer-attention").shadowRoot;
  return root.activeElement.ariaLabel;
}"""


def weights_of(page, name):
    """Return the weights (queries, keys) that a small map shows."""
    height, width, alpha = (
        page.get_by_role("button", name=name, exact=True).locator("canvas").evaluate(PIXELS)
    )
    return np.reshape(alpha, (height, width)) ** 2 / 255**2


def chosen(page):
    return [
        map_.get_attribute("aria-label") for map_ in page.locator(".map[aria-current=true]").all()
    ]


def heads_on(page):
    return [
        int(box.get_attribute("value")) for box in page.get_by_role("checkbox", checked=True).all()
    ]


def layer(page):
    return page.locator("input[name=layer]:checked").get_attribute("value")


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_overview_has_a_map_for_every_layer_and_head(show, make_looked, kind):
    looked = make_looked(["the", "dog", "<eos>"], ["der", "Hund", "da", "<eos>"])
    page = show(looked)
    page.locator(".choices label", has_text=kind).first.click()
    weights = getattr(looked, kind)
    assert page.locator(".map").count() == weights.shape[0] * weights.shape[1]
    for layer_, head in np.ndindex(*weights.shape[:2]):
        shown = weights_of(page, f"layer {layer_}, head {head}")
        np.testing.assert_allclose(shown, weights[layer_, head], atol=0.01)


def test_click_selects_one_head_and_second_click_restores_all(show, looked):
    page = show(looked)
    assert chosen(page) == [f"layer 2, head {head}" for head in (0, 1, 2, 3)]
    for _ in range(2):
        page.get_by_role("button", name="layer 0, head 1").click()
        assert (layer(page), heads_on(page), chosen(page)) == ("0", [1], ["layer 0, head 1"])
        page.get_by_role("button", name="layer 1, head 1").click()
        assert (layer(page), heads_on(page), chosen(page)) == ("1", [1], ["layer 1, head 1"])
        assert ": head 1 looks at " in page.locator(".said").inner_text()
        page.get_by_role("button", name="layer 1, head 1").click()
        assert (layer(page), heads_on(page)) == ("1", [0, 1, 2, 3]) and len(chosen(page)) == 4


@pytest.mark.parametrize("key", ["Enter", " "])
def test_arrow_keys_move_between_maps_and_enter_selects(show, looked, key):
    page = show(looked)
    page.get_by_role("button", name="layer 0, head 0").focus()
    for arrow, expected in (
        ("ArrowLeft", "layer 0, head 0"),
        ("ArrowRight", "layer 0, head 1"),
        ("ArrowDown", "layer 1, head 1"),
        ("ArrowLeft", "layer 1, head 0"),
        ("ArrowDown", "layer 2, head 0"),
        ("ArrowDown", "layer 2, head 0"),
        ("ArrowUp", "layer 1, head 0"),
    ):
        page.keyboard.press(arrow)
        assert page.evaluate(FOCUSED) == expected
    page.keyboard.press(key)
    assert (layer(page), heads_on(page)) == ("1", [0])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "layer 1, head 0"


def test_hovered_word_is_framed_in_every_map(show, looked):
    page = show(looked)
    for side, place in (("query", 2), ("key", 1)):
        page.locator(f".{side}").nth(place).hover()
        for map_ in page.locator(".map").all():
            whole, frame = map_.locator("canvas").bounding_box(), map_.locator("i").bounding_box()
            start, length, across = (
                ("y", "height", "width") if side == "query" else ("x", "width", "height")
            )
            assert abs(frame[start] - whole[start] - place * whole[length] / 4) < 1
            assert (
                abs(frame[length] - whole[length] / 4) < 1
                and abs(frame[across] - whole[across]) < 1
            )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_page(show, looked, violations, scheme):
    page = show(looked, width=390, color_scheme=scheme)
    page.locator(".key").first.hover()
    assert violations(page) == []
    assert page.locator("main > h1").inner_text() == (
        "Attention: the dog sleeps <eos> \u2192 der Hund schläft <eos>"
    )


def test_theme_can_be_in_the_address_and_changes_with_the_page_around(show, looked):
    page = show(looked)
    ground = "() => getComputedStyle(document.querySelector('.npformer-attention').shadowRoot.querySelector('.viewer')).backgroundColor"
    white = page.evaluate(ground)
    page.evaluate("document.body.dataset.theme = 'dark'")
    page.wait_for_function(f"white => ({ground})() !== white", arg=white)
    page.goto(f"{page.url}?theme=dark")
    assert page.evaluate(ground) != white == "rgb(255, 255, 255)"
