"""Graphs and tables of numbers show the numbers that they are given."""

import numpy as np

from helpers.pictures import figure_2, plot_arrays, plot_graph
from npformer.layers import MultiHeadAttention
from npformer.visualization.plots import new_figure


def test_graph_has_value_and_gradient_on_every_edge():
    steps = [("s", "square", ("x",)), ("u", "plus", ("s", "x"))]
    ax = plot_graph(
        new_figure()[1],
        steps,
        {"x": 3, "s": 9, "u": 12},
        {"s": 1, "u": 1, ("x", "s"): 6, ("x", "u"): 1},
    )
    labels = sorted(text.get_text() for text in ax.texts if "=" in text.get_text())
    assert labels == ["ds = 1", "du = 1", "dx = 6 + 1 = 7", "s = 9", "u = 12", "x = 3", "x = 3"]
    shares = [text.get_text() for text in ax.texts if "share" in text.get_text()]
    assert shares == ["share 6", "share 1"]


def test_every_edge_has_an_arrow_forward_and_one_back():
    values = {"w": 2, "x": 3, "a": 6}
    for gradients, n_arrows in ((None, 3), ({"w": 3, "x": 2, "a": 1}, 6)):
        ax = plot_graph(new_figure()[1], [("a", "times", ("w", "x"))], values, gradients)
        heads = [text.xy for text in ax.texts if text.arrow_patch is not None]
        assert len(heads) == n_arrows
        x_of_box = next(text.xy[0] for text in ax.texts if text.get_text() == "times")
        at_inputs = [x for x, _ in heads if x < x_of_box / 2]
        assert len(at_inputs) == (2 if gradients else 0)


def test_array_plot_shows_every_number():
    axes = plot_arrays(
        new_figure(1, 2)[1], {"A": np.array([[1.5, -2.0]]), "B": np.array([3])}, {"A": [(0, 1)]}
    )
    assert [text.get_text() for ax in axes for text in ax.texts] == ["1.5", "-2", "3"]


def test_figure_2_shows_shapes_of_the_layer():
    drawn = figure_2(MultiHeadAttention(12, 3, d_k=5, d_v=2))._repr_svg_()
    for shape in ("(B, 3, T, 5)", "(B, 3, S, 2)", "(B, 3, T, S)", "(B, T, 6)", "(B, T, 12)"):
        assert shape in drawn
    # W^Q, W^K and W^V: a letter, and arrows to the box and from it; on the left the arrow of V
    for role, n_lines in (("query", 2), ("key", 2), ("value", 3)):
        assert drawn.count(f'class="line-{role}"') == n_lines
