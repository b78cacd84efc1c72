import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colors import (
    BLUE,
    ROLES,
    SKY,
    contrasting,
    lightness,
    main_color,
    page_color,
    role_color,
    role_of,
    role_style,
    weight_colors,
)


def lightnesses(ax):
    return [lightness(color) for color in weight_colors(ax)(np.linspace(0, 1, 64))]


def test_zero_weight_has_page_color_and_larger_is_darker():
    ax = new_figure()[1]
    assert to_hex(weight_colors(ax)(0.0)) == page_color(ax) == "#ffffff"
    assert (np.diff(lightnesses(ax)) < 0).all()
    assert main_color() == BLUE


def test_larger_weight_is_lighter_on_dark_page(dark):
    ax = new_figure()[1]
    assert to_hex(weight_colors(ax)(0.0)) == page_color(ax) == "#111111"
    assert (np.diff(lightnesses(ax)) > 0).all()
    assert main_color() == SKY


def test_cell_numbers_have_contrast_on_dark_pages(dark):
    ax = new_figure()[1]
    weights = np.array([[0.25, 0.75, 0.5, 1.0]])
    plot_attention(ax, weights, ["a"], list("bcde"))
    [image] = ax.images
    assert [text.get_color() for text in ax.texts] == [
        contrasting(image.to_rgba(weight)) for weight in weights[0]
    ]
    assert ax.texts[3].get_color() == "black"


def luminance(color):
    """Return the relative luminance of WCAG 2."""
    parts = np.array(to_rgb(color))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("text_color", "page"),
    [
        ("#000000", "#ffffff"),
        ("#1f2328", "#f6f8fa"),  # of the step debugger
        ("#e6e8eb", "#1d2126"),
        ("#ffffff", "#111111"),
    ],
)
def test_names_of_queries_keys_and_values_are_readable(role, text_color, page):
    darker, lighter = sorted([luminance(role_color(role, text_color)), luminance(page)])
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG 2, level AA


def test_names_of_queries_keys_and_values():
    for role, names in (
        ("query", "q Q dq w_q W_Q wq query queries dquery w_query"),
        ("key", "k K dk w_k key keys dkeys w_key"),
        ("value", "v V dv w_v value values dvalues w_value"),
        ("", "d_k d_v qs kv x scores output_value keyed my_key"),
    ):
        assert {name: role_of(name) for name in names.split()} == dict.fromkeys(names.split(), role)


def test_colors_of_a_page_are_mixed_from_its_ink():
    assert role_style(".x") == (
        ".x { --query: color-mix(in srgb, #0072b2 70%, var(--ink)); "
        "--key: color-mix(in srgb, #d55e00 70%, var(--ink)); "
        "--value: color-mix(in srgb, #009e73 70%, var(--ink)); }\n"
    )
