import pytest
from matplotlib import font_manager, rc_context

from npformer.visualization.plots import new_figure, plot_attention, save_figure
from npformer.visualization.plots.fonts import add_unlisted, best_font, drawable


@pytest.fixture
def installed(monkeypatch):
    """Make these files look as if they were all the fonts of the system, and nobody had looked yet."""

    def install(*files):
        looked = []
        monkeypatch.setattr(font_manager, "findSystemFonts", lambda: looked.append(files) or list(files))
        return looked

    add_unlisted.cache_clear()
    yield install
    add_unlisted.cache_clear()


@pytest.fixture
def only_own(monkeypatch, installed):
    """Make all fonts but those that come with matplotlib look as if they were not installed; one has no umlauts."""
    names = ("DejaVu Sans", "cmr10")
    entries = sorted(
        (entry for entry in font_manager.fontManager.ttflist if entry.name in names), key=lambda entry: entry.name
    )
    monkeypatch.setattr(font_manager.fontManager, "ttflist", entries)
    installed()
    return entries


def test_tokens_that_the_style_can_draw_keep_its_font():
    assert drawable(["Größe", "<eos>"]) == (["Größe", "<eos>"], {"fontfamily": ["sans-serif"], "parse_math": False})


def test_white_space_is_shown():
    assert drawable([" ", "a\nb", "\u3000"])[0] == ["␣", "a␣b", "␣"]


def test_what_the_font_lacks_comes_from_an_installed_one(only_own):
    with rc_context({"font.family": "cmr10"}):
        tokens, how = drawable(["Größe"])
    assert tokens == ["Größe"] and how["fontfamily"] == ["cmr10", "DejaVu Sans"]


def test_a_font_installed_since_matplotlib_listed_them_is_found(only_own, installed, monkeypatch, tmp_path, recwarn):
    """Its list stays in a file in a file, so that whoever followed the warning saw boxes still."""
    new = next(entry.fname for entry in only_own if (entry.name, entry.style) == ("DejaVu Sans", "normal"))
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [e for e in only_own if e.name != "DejaVu Sans"])
    damaged = tmp_path / "damaged.ttf"
    damaged.write_bytes(b"no font")
    installed(str(damaged), new)
    with rc_context({"font.family": "cmr10"}):
        tokens, how = drawable(["Größe"])
    assert tokens == ["Größe"] and how["fontfamily"] == ["cmr10", "DejaVu Sans"] and not recwarn.list


def test_the_system_is_searched_once_and_only_when_a_character_is_missing(only_own, installed):
    looked = installed()
    drawable(["Größe"])
    assert not looked
    with pytest.warns(UserWarning):
        for _ in range(3):
            drawable(["\ue123"])
    assert len(looked) == 1


def test_the_font_of_all_noto_cjk_has_the_name_of_its_first_face(only_own, monkeypatch):
    """Before others that have the character, whatever their names."""
    same = {name: only_own[0].__class__(fname=only_own[0].fname, name=name) for name in ("AAA", "Noto Sans CJK JP")}
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [*only_own, *same.values()])
    assert best_font({"ö"})[0] == "Noto Sans CJK JP"


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
    assert str(caught[0].message).endswith("Noto Sans CJK (on Debian and Ubuntu the package fonts-noto-cjk)")


@pytest.mark.filterwarnings("ignore:no installed font")
def test_broad_characters_stand_upright_over_a_map_and_words_aslant():
    _, ax = new_figure()
    plot_attention(ax, [[0.5, 0.25, 0.25]], ["山"], ["，", "<eos>", "a"])
    assert [label.get_rotation() for label in ax.get_xticklabels()] == [0, 45, 45]
    assert [label.get_ha() for label in ax.get_xticklabels()] == ["center", "left", "left"]


def test_chinese_is_drawn_where_a_font_for_it_is_installed(recwarn, tmp_path):
    if not any("CJK" in file for file in font_manager.findSystemFonts()):
        pytest.skip("no font for Chinese is installed")
    tokens, _ = drawable(["大", "漠"])
    figure, ax = new_figure()
    plot_attention(ax, [[1.0]], ["大"], ["漠"])
    save_figure(figure, tmp_path / "map.png")
    assert tokens == ["大", "漠"] and not recwarn.list


def test_a_picture_warns_of_nothing_more(only_own, tmp_path):
    figure, ax = new_figure()
    with pytest.warns(UserWarning) as caught:
        plot_attention(ax, [[1.0]], ["a$b$"], ["好\ue123"])
        save_figure(figure, tmp_path / "map.svg")
    assert len(caught) == 1 and "U+E123" in str(caught[0].message)
