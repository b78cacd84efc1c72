import pytest

pytestmark = pytest.mark.browser

FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot) element = element.shadowRoot.activeElement;
  const name = element.value ?? "";
  const ring = getComputedStyle(element.matches("input") ? element.nextElementSibling : element);
  return [element.innerText || element.ariaLabel || name, ring.outlineStyle];
}"""


def shown(page):
    return page.locator(".query.shown").inner_text()


def layer(page):
    return page.locator("input[name=layer]:checked").get_attribute("value")


def test_tab_reaches_every_control_with_visible_focus(show, looked):
    page = show(looked)
    for name in ("cross", "2", "all", "none", "der", "the", "0", "1", "2", "3", "layer 0, head 0"):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == [name, "solid"]


def test_arrow_keys_move_between_words_and_layers(show, looked):
    page = show(looked)
    page.locator(".query").first.focus()
    for key, expected in (
        ("ArrowRight", "Hund"),
        ("ArrowRight", "schläft"),
        ("ArrowLeft", "Hund"),
        ("End", "<eos>"),
        ("ArrowRight", "<eos>"),
        ("Home", "der"),
        ("ArrowLeft", "der"),
    ):
        page.keyboard.press(key)
        assert (shown(page), page.evaluate(FOCUSED)) == (expected, [expected, "solid"])
    for key, expected in (
        ("ArrowUp", "2"),
        ("ArrowDown", "1"),
        ("ArrowDown", "0"),
        ("ArrowDown", "0"),
        ("ArrowUp", "1"),
    ):
        page.keyboard.press(key)
        assert (shown(page), layer(page)) == ("der", expected)


def test_radio_buttons_follow_the_arrow_keys(show, looked):
    page = show(looked)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("radio", name="decoder").is_checked()
    assert page.locator(".key bdi").first.inner_text() == "<bos>"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert layer(page) == "1"


def test_enter_and_space_pin_and_escape_unpins(show, looked):
    page = show(looked)
    page.locator(".query").nth(1).focus()
    page.keyboard.press("ArrowRight")
    for key in ("Enter", " "):
        page.keyboard.press(key)
        assert page.get_by_role("button", pressed=True).count() == 1
        page.keyboard.press("Escape")
        assert page.get_by_role("button", pressed=True).count() == 0


def test_viewer_has_accessible_roles_and_names(show, looked):
    page = show(looked)
    assert page.get_by_role("region", name="Attention viewer").count() == 1
    assert page.get_by_role("radiogroup").count() == 2
    assert page.get_by_role("group", name="Heads").get_by_role("button").count() == 2
    assert page.get_by_role("toolbar", name="The decoder writes").get_by_role("button").count() == 4
    assert (
        page.get_by_role("toolbar", name="and looks at the source").get_by_role("button").count()
        == 4
    )
    assert (
        page.get_by_role("group", name="Every layer and head").get_by_role("button").count() == 12
    )
    assert page.get_by_role("checkbox").count() == 4
    assert page.locator("[aria-live=polite]").count() == 1
