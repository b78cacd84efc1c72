import numpy as np
from matplotlib.colors import to_hex

from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colors import contrasting, lightness, page_color, weight_colors


def lightnesses(ax):
    return [lightness(color) for color in weight_colors(ax)(np.linspace(0, 1, 64))]


def test_zero_weight_has_page_color_and_larger_is_darker():
    ax = new_figure()[1]
    assert to_hex(weight_colors(ax)(0.0)) == page_color(ax) == "#ffffff"
    assert (np.diff(lightnesses(ax)) < 0).all()


def test_larger_weight_is_lighter_on_dark_page(dark):
    ax = new_figure()[1]
    assert to_hex(weight_colors(ax)(0.0)) == page_color(ax) == "#111111"
    assert (np.diff(lightnesses(ax)) > 0).all()


def test_cell_numbers_have_contrast_on_dark_pages(dark):
    ax = new_figure()[1]
    weights = np.array([[0.25, 0.75, 0.5, 1.0]])
    plot_attention(ax, weights, ["a"], list("bcde"))
    [image] = ax.images
    assert [text.get_color() for text in ax.texts] == [
        contrasting(image.to_rgba(weight)) for weight in weights[0]
    ]
    assert ax.texts[3].get_color() == "black"
