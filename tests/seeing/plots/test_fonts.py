import pytest
from matplotlib import font_manager, rc_context

from npformer.seeing.plots import new_figure, plot_attention, save_figure
from npformer.seeing.plots.fonts import best_font, drawable


@pytest.fixture
def only_own(monkeypatch):
    """Make all fonts but those that come with matplotlib look as if they were not installed; one has no umlauts."""
    names = ("DejaVu Sans", "cmr10")
    entries = sorted(
        (entry for entry in font_manager.fontManager.ttflist if entry.name in names), key=lambda entry: entry.name
    )
    monkeypatch.setattr(font_manager.fontManager, "ttflist", entries)
    return entries


def test_tokens_that_the_style_can_draw_keep_its_font():
    assert drawable(["Größe", "<eos>"]) == (["Größe", "<eos>"], {"fontfamily": ["sans-serif"], "parse_math": False})


def test_white_space_is_shown():
    assert drawable([" ", "a\nb", "\u3000"])[0] == ["␣", "a␣b", "␣"]


def test_what_the_font_lacks_comes_from_an_installed_one(only_own):
    with rc_context({"font.family": "cmr10"}):
        tokens, how = drawable(["Größe"])
    assert tokens == ["Größe"] and how["fontfamily"] == ["cmr10", "DejaVu Sans"]


def test_a_font_known_to_be_good_is_preferred(only_own, monkeypatch):
    famous = only_own[0].__class__(fname=only_own[0].fname, name="SimHei")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [*only_own, famous])
    assert best_font({"ö"}) == ("SimHei", {"ö"})


def test_a_font_file_that_is_gone_is_passed_over(only_own, monkeypatch):
    gone = only_own[0].__class__(fname="/no/such/font.ttf", name="SimHei")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [gone, *only_own])
    assert best_font({"ö"})[0] == "DejaVu Sans"


def test_characters_of_no_font_become_boxes_with_one_warning(only_own):
    with pytest.warns(UserWarning, match="no installed font has the characters 世 你 好 界 and they") as caught:
        tokens, _ = drawable(["你好", "world", "世界"])
    assert tokens == ["□□", "world", "□□"] and len(caught) == 1


def test_a_picture_warns_of_nothing_more(only_own, tmp_path):
    figure, ax = new_figure()
    with pytest.warns(UserWarning) as caught:
        plot_attention(ax, [[1.0]], ["a$b$"], ["好\ue123"])
        save_figure(figure, tmp_path / "map.svg")
    assert len(caught) == 1 and "U+E123" in str(caught[0].message)
