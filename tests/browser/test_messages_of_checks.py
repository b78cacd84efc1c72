"""What a check says in a notebook, in the colors of JupyterLab and of VS Code: light, dark, and
of high contrast.
"""

import pytest

from npformer_course.format_report import Line
from npformer_course.student.notebook import CellOutput

pytestmark = pytest.mark.browser

STYLES = (
    "title", "right", "wrong", "error", "timeout", "unattempted", "fact", "question", "code",
    "plain",
)  # fmt: skip
THEMES = {  # text and what is behind it
    "JupyterLab Light": ("rgba(0, 0, 0, 0.87)", "#ffffff"),
    "JupyterLab Dark": ("#ffffff", "#111111"),
    "VS Code Light Modern": ("#3b3b3b", "#ffffff"),
    "VS Code Dark Modern": ("#cccccc", "#1f1f1f"),
    "VS Code Dark High Contrast": ("#ffffff", "#000000"),
}
PIXELS = """([colors, behind]) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  return [...colors, behind].map(color => {
    for (canvas.fillStyle of [behind, color]) canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  });
}"""


def luminance(pixel):
    """Return the relative luminance of a pixel, as WCAG 2 defines it."""
    parts = [part / 255 for part in pixel]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """Return the contrast of two pixels, from 1 to 21; text wants 4.5."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def pixels(open_page, theme):
    """Return how a line of each style looks in a theme, and what is behind the lines."""
    text, behind = THEMES[theme]
    shown = CellOutput([Line(style, 0, style) for style in STYLES])
    page = open_page(
        f'<!DOCTYPE html><body style="color: {text}; background: {behind}">{shown._repr_html_()}'
    )
    colors = page.locator("body > div").evaluate_all(
        "lines => lines.map(line => getComputedStyle(line).color)"
    )
    *lines, behind = page.evaluate(PIXELS, [colors, behind])
    return dict(zip(STYLES, lines, strict=True)), behind


@pytest.mark.parametrize("theme", THEMES)
def test_every_line_has_contrast_and_correct_is_green_incorrect_red_question_blue(open_page, theme):
    lines, behind = pixels(open_page, theme)
    assert {
        style: contrast(line, behind)
        for style, line in lines.items()
        if contrast(line, behind) < 4.5
    } == {}
    strongest = {
        style: "red green blue".split()[line.index(max(line))] for style, line in lines.items()
    }
    assert all(
        max(lines[style]) - min(lines[style]) > 50 for style in ("right", "wrong", "question")
    )
    assert [strongest[style] for style in ("right", "wrong", "error", "timeout", "question")] == [
        "green", "red", "red", "red", "blue"
    ]  # fmt: skip
