from matplotlib import font_manager

from npformer.visualization.plots.fonts import CJK_FONTS, drawable


def test_whitespace_is_made_visible():
    assert drawable([" ", "a\nb", "\u3000", "<eos>"])[0] == ["␣", "a␣b", "␣", "<eos>"]


def test_installed_cjk_fonts_follow_the_font_of_the_style(monkeypatch):
    dejavu = next(font for font in font_manager.fontManager.ttflist if font.name == "DejaVu Sans")
    cjk = font_manager.FontEntry(fname=dejavu.fname, name=CJK_FONTS[1])
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [dejavu])
    assert drawable(["大"])[1] == {"fontfamily": ["sans-serif"], "parse_math": False}
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [dejavu, cjk])
    assert drawable(["大"])[1]["fontfamily"] == ["sans-serif", CJK_FONTS[1]]
