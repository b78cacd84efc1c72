import numpy as np
import pytest
from matplotlib.colors import to_hex

from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colours import (
    contrasting,
    head_colours,
    lightness,
    main_colour,
    page_colour,
    weight_colours,
)


def lightnesses(ax):
    return [lightness(colour) for colour in weight_colours(ax)(np.linspace(0, 1, 64))]


def test_a_weight_of_zero_is_the_page_and_more_is_darker():
    ax = new_figure()[1]
    assert to_hex(weight_colours(ax)(0.0)) == page_colour(ax) == "#ffffff"
    assert (np.diff(lightnesses(ax)) < 0).all()


def test_on_a_dark_page_more_is_lighter(dark):
    ax = new_figure()[1]
    assert to_hex(weight_colours(ax)(0.0)) == page_colour(ax) == "#111111"
    assert (np.diff(lightnesses(ax)) > 0).all()


@pytest.mark.usefixtures("dark")
def test_a_transparent_page_is_taken_for_what_the_text_was_made_for():
    figure, ax = new_figure()
    ax.patch.set_alpha(0)
    assert page_colour(ax) == "#111111"
    figure.patch.set_alpha(0)
    assert page_colour(ax) == "#000000"


def seen(colours, page):
    """Assert a contrast of at least 2, colour to page."""
    for colour in colours:
        high, low = sorted((lightness(colour), lightness(page)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 2, colour


def test_every_head_is_seen_on_white():
    assert len(set(head_colours(8))) == 8
    seen([*head_colours(8), main_colour()], "#ffffff")


def test_every_head_is_seen_on_dark_pages(dark):
    assert len(set(head_colours(8))) == 8
    seen([*head_colours(8), main_colour()], "#111111")


def test_numbers_in_cells_stand_out_on_dark_pages(dark):
    ax = new_figure()[1]
    weights = np.array([[0.25, 0.75, 0.5, 1.0]])
    plot_attention(ax, weights, ["a"], list("bcde"))
    [image] = ax.images
    assert [text.get_color() for text in ax.texts] == [contrasting(image.to_rgba(weight)) for weight in weights[0]]
    assert ax.texts[3].get_color() == "black"
