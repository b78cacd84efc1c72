import numpy as np
import pytest

pytestmark = pytest.mark.browser


def shown(page):
    return page.locator(".query.shown").inner_text()


def said(page):
    return page.locator(".said").inner_text().replace("\u00a0", " ")


def head(page, number):
    return (
        page.locator(".head").nth(number - 1).locator(".looks").inner_text().replace("\u00a0", " ")
    )


def opacities(page, key, *, viewer=0):
    tracks = page.locator(".viewer").nth(viewer).locator(".key").nth(key).locator(".track")
    return tracks.evaluate_all(
        "tracks => tracks.map(track => track.hidden ? null : Number(track.style.opacity))"
    )


def shades(page):
    return page.locator(".query").evaluate_all(
        "all => all.map(one => Number(one.style.getPropertyValue('--shade')))"
    )


def choose(page, name):
    page.locator(".choices label", has_text=name).first.click()


def test_hovering_a_word_shows_where_each_head_looks(show, looked):
    page = show(looked)
    page.locator(".query", has_text="Hund").hover()
    assert shown(page) == "Hund"
    assert [head(page, number) for number in (1, 2, 3)] == [
        "dog 100%",
        "sleeps 80% · dog 20%",
        "<eos> 80% · dog 20%",
    ]
    assert (
        said(page) == "Hund: all heads together look at dog 40% · the 20% · sleeps 20% · <eos> 20%"
    )
    np.testing.assert_allclose(opacities(page, 2), np.sqrt([0, 0.8, 0, 0]), atol=0.003)
    np.testing.assert_allclose(opacities(page, 1), np.sqrt([1, 0.2, 0.2, 0.2]), atol=0.003)
    assert page.locator(".key").nth(1).get_attribute("aria-label") == "dog, 40%"
    assert "head 1: 20%" in page.locator(".key").nth(1).get_attribute("title")


def test_each_head_has_its_own_color_and_position(show, looked):
    page = show(looked)
    colors = (
        page.locator(".key")
        .first.locator(".track")
        .evaluate_all("tracks => tracks.map(track => getComputedStyle(track).backgroundColor)")
    )
    tops = [
        box["y"]
        for box in (
            track.bounding_box() for track in page.locator(".key").first.locator(".track").all()
        )
    ]
    swatches = page.locator(".swatch").evaluate_all(
        "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(colors)) == len(set(tops)) == 4
    assert swatches == colors


def test_queries_and_keys_have_a_color_each(show, looked):
    page = show(looked)
    colors = page.locator("h2, .title").evaluate_all(
        "titles => titles.map(title => getComputedStyle(title).color)"
    )
    heading, queries, _, keys, *_ = colors
    assert len({heading, queries, keys}) == 3


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_every_weight_of_every_layer_is_shown(show, looked, kind):
    page = show(looked)
    choose(page, kind)
    weights = getattr(looked, kind)
    for layer in range(len(weights)):
        choose(page, str(layer))
        for query in range(4):
            page.locator(".query").nth(query).hover()
            for key in range(4):
                expected = np.sqrt(weights[layer, :, query, key])
                np.testing.assert_allclose(
                    opacities(page, key) ** np.array(2), expected**2, atol=0.002
                )


def test_words_match_queries_and_keys_of_attention(show, looked):
    page = show(looked)
    words = {}
    for kind in ("encoder", "decoder", "cross"):
        choose(page, kind)
        words[kind] = [page.locator(f"{side} bdi").all_inner_texts() for side in (".query", ".key")]
    assert words == {
        "encoder": [looked.source, looked.source],
        "decoder": [looked.written, looked.read],
        "cross": [looked.written, looked.source],
    }


def test_unread_decoder_words_are_dimmed(show, looked):
    page = show(looked)
    choose(page, "decoder")
    page.locator(".query").nth(1).hover()
    assert page.locator(".key.ahead bdi").all_inner_texts() == ["Hund", "schläft"]
    assert page.locator(".key").nth(3).get_attribute("aria-label") == "schläft, not yet read"


def test_heads_can_be_toggled_singly_and_together(show, looked):
    page = show(looked)
    page.locator(".query", has_text="Hund").hover()
    for number in (0, 2):
        page.get_by_role("checkbox", name=f"head {number}").click()
    assert [opacity is None for opacity in opacities(page, 0)] == [True, False, True, False]
    assert head(page, 1) == "off"
    assert said(page) == "Hund: 2 of 4 heads together look at the 40% · sleeps 40% · dog 20%"
    page.get_by_role("button", name="none").click()
    assert opacities(page, 0) == [None] * 4 and said(page) == "Hund: no head is switched on"
    page.get_by_role("button", name="all").click()
    assert (
        None not in opacities(page, 0) and page.get_by_role("checkbox", checked=True).count() == 4
    )


def test_click_pins_word_until_escape_or_second_click(show, looked):
    page = show(looked)
    word = page.locator(".query")
    word.nth(1).click()
    word.nth(2).hover()
    assert shown(page) == "Hund" and "(pinned)" in said(page)
    assert page.get_by_role("button", pressed=True).inner_text() == "Hund"
    page.keyboard.press("Escape")
    assert "(pinned)" not in said(page)
    word.nth(3).hover()
    assert shown(page) == "<eos>"
    word.nth(0).click()
    word.nth(0).click()
    word.nth(2).hover()
    assert shown(page) == "schläft"


def test_pin_persists_across_layers_but_not_other_words(show, looked):
    page = show(looked)
    page.locator(".query").nth(1).click()
    choose(page, "2")
    choose(page, "decoder")
    assert "(pinned)" in said(page) and shown(page) == "Hund"
    choose(page, "encoder")
    assert "(pinned)" not in said(page)


def test_hovering_source_word_highlights_attending_words(show, looked):
    page = show(looked)
    page.locator(".key", has_text="dog").hover()
    np.testing.assert_allclose(np.square(shades(page)), looked.cross[-1].mean(0)[:, 1], atol=0.003)
    assert page.locator(".query").all_inner_texts() == ["der", "Hund", "schläft", "<eos>"]
    percents = "all => all.map(one => getComputedStyle(one, '::after').content)"
    assert page.locator(".query small").evaluate_all(percents) == ['"20"', '"40"', '"20"', '"20"']
    assert (
        page.locator(".shown bdi").all_inner_texts() == ["dog"]
        and opacities(page, 1) == opacities(page, 0) == [0] * 4
    )
    assert (
        said(page)
        == "dog: all heads together look at it from Hund 40% · der 20% · schläft 20% · <eos> 20%"
    )
    assert [head(page, number) for number in (1, 2)] == ["Hund 100%", "der 80% · Hund 20%"]
    assert page.locator(".query").nth(1).get_attribute("aria-label") == "Hund, 40%"
    assert "head 1: 20%" in page.locator(".query").nth(1).get_attribute("title")
    page.locator(".query", has_text="schläft").hover()
    assert (
        shown(page) == "schläft" and page.locator(".shown").count() == 1 and any(opacities(page, 2))
    )


def test_source_and_target_may_have_different_lengths(show, make_looked):
    looked = make_looked(["the", "dog", "<eos>"], ["der", "kleine", "Hund", "<eos>"])
    page = show(looked)
    page.locator(".query").nth(3).hover()
    np.testing.assert_allclose(np.square(opacities(page, 1)), looked.cross[-1, :, 3, 1], atol=0.003)
    page.locator(".key").nth(1).hover()
    np.testing.assert_allclose(np.square(shades(page)), looked.cross[-1].mean(0)[:, 1], atol=0.003)
