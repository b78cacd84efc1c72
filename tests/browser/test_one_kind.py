"""The viewer of a model of one column: there is one kind of attention, and none to choose among."""

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def one_kind(make_looked):
    looked = make_looked(["a", "b", "<eos>"], ["c", "d", "e"])
    return {
        "decoder": looked._replace(source=[], encoder=None, cross=None),
        "encoder": looked._replace(read=[], written=[], decoder=None, cross=None),
    }


@pytest.mark.parametrize(
    ("kind", "above", "words", "layers"),
    [("decoder", "The decoder writes", "cde", 3), ("encoder", "The encoder reads", "ab", 2)],
)
def test_its_layers_and_words_are_shown_and_no_choice_of_kinds(show, one_kind, kind, above, words, layers):
    page = show(one_kind[kind])
    viewer = page.locator(".viewer")
    assert viewer.locator("h3").first.inner_text() == above
    assert viewer.locator("[name=kind]").count() == 0
    assert viewer.locator("[name=layer]").count() == layers
    assert viewer.locator(f"[name=layer][value='{layers - 1}']").is_checked()
    shown = viewer.locator(".words").first.locator(".word bdi")
    assert [shown.nth(i).inner_text() for i in range(len(words))] == list(words)
    viewer.locator(".word.query").nth(1).hover()
    assert viewer.locator(".said strong").inner_text() == words[1]
