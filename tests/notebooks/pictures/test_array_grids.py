"""Grids of cells show the numbers, signs, names and labels that they are given."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.pictures import show_arrays, show_attention
from npformer import InputError
from npformer.visualization.plots.colors import role_color

WORDS = ["the", "dog", "sleeps"]
Q = np.array([[0.5, -2.0], [1.0, 0.25], [-0.001, 0.0]])
WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])


def texts_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def fills_of(figure):
    """Return the colors of each grid, an array (rows, columns, 3) of integers each."""
    return [np.asarray(image.get_array())[..., :3] for image in figure.axes[0].images]


def sizes_of_cells(figure):
    sizes = set()
    for image in figure.axes[0].images:
        left, right, bottom, top = image.get_extent()
        n_rows, n_columns = image.get_array().shape[:2]
        sizes.add((round((right - left) / n_columns, 6), round((bottom - top) / n_rows, 6)))
    return sizes


def test_numbers_names_shapes_and_labels():
    texts = texts_of(show_arrays(q=Q, rows=WORDS))
    assert texts == [*"0.50 -2.00 1.00 0.25 0.00 0.00".split(), *WORDS, "q", "(3, 2)"]


def test_formula_has_signs_and_transposed_arrays():
    figure = show_arrays("q · k.T / 2 = scores", q=Q, k=Q, scores=Q @ Q.T / 2, rows=WORDS)
    texts = texts_of(figure)
    assert "·" in texts and "/ 2 =" in texts
    assert "kᵀ" in texts and texts.count("(3, 2)") == 1 and texts.count("(2, 3)") == 1
    assert [fills.shape for fills in fills_of(figure)] == [(3, 2, 3), (2, 3, 3), (3, 3, 3)]
    q, k, _ = fills_of(figure)
    assert (q == k.swapaxes(0, 1)).all()
    assert len(sizes_of_cells(figure)) == 1


def test_labels_are_written_once_for_neighbors_and_follow_a_transposed_array():
    neighbors = texts_of(show_arrays(q=Q, k=Q, rows=WORDS))
    assert neighbors.count("dog") == 1
    product = show_arrays("q k.T", q=Q, k=Q, rows=WORDS).axes[0].texts
    rotations = [text.get_rotation() for text in product if text.get_text() == "dog"]
    assert rotations == [0, 90]


def test_all_signed_arrays_have_one_scale():
    small, large = fills_of(show_arrays(x=np.array([0.1, -0.1]), y=np.array([10.0, -10.0])))
    assert (small[0] > 0.9).all()  # nearly white
    brown, purple = large[0]
    assert brown[0] > brown[1] > brown[2] and purple[2] > purple[0] > purple[1]
    assert (large < 0.5).any(-1).all()


def test_rows_that_add_up_to_one_are_drawn_as_signed_numbers_if_asked():
    [as_weights] = fills_of(show_arrays(x=WEIGHTS))
    [as_signed] = fills_of(show_arrays(x=WEIGHTS, signed=["x"]))
    blue, brown = as_weights[0, 0], as_signed[0, 0]
    assert blue[2] > blue[0] and brown[0] > brown[2]
    with pytest.raises(InputError, match="there is no array y"):
        show_arrays(x=WEIGHTS, signed=["y"])


def test_weights_and_masks_go_from_page_to_blue_and_ids_have_no_color():
    arrays = {"weights": WEIGHTS, "mask": WEIGHTS > 0, "ids": np.array([5, 812])}
    figure = show_arrays(**arrays)
    weights, mask, ids = fills_of(figure)
    assert (weights[0, 1] == 1).all() and (mask[0, 1] == 1).all() and (ids == 1).all()
    assert (weights[0, 0] == mask[0, 0]).all() and weights[0, 0, 2] > weights[0, 0, 0]
    assert "812" in texts_of(figure) and "True" not in texts_of(figure)


def test_names_of_queries_keys_and_values_are_colored():
    figure = show_arrays("q k.T v x", q=Q, k=Q, v=Q, x=Q)
    colors = {text.get_text(): to_hex(text.get_color()) for text in figure.axes[0].texts}
    for name, role in (("q", "query"), ("kᵀ", "key"), ("v", "value")):
        assert colors[name] == role_color(role, "#000000")
    assert colors["x"] == "#000000"


def test_large_arrays_have_colors_and_a_scale_in_place_of_numbers():
    x = np.full((10, 64), 0.5)
    x[0, 0] = -4
    figure = show_arrays(x=x, W=x.T)
    assert texts_of(figure) == ["x", "(10, 64)", "W", "(64, 10)", "darkest: ±4"]
    assert len(sizes_of_cells(figure)) == 1
    width, height = figure.get_size_inches()
    assert width <= 10.01 and height < 8


def test_marked_entry_has_a_frame():
    figure = show_arrays("x x.T", x=Q, marked={"x": [(2, 1)]})
    frames = [patch.get_bbox().bounds for patch in figure.axes[0].patches]
    places = []
    for (left, top, width, height), image in zip(frames, figure.axes[0].images, strict=True):
        start, _, _, first = image.get_extent()
        places.append((round((top - first) / height), round((left - start) / width)))
    assert places == [(2, 1), (1, 2)]


def test_frames_have_the_colors_of_their_entries():
    figure = show_arrays("x x.T", x=Q, marked={"x": {(2, 1): "#0072b2", (0, 0): "#d55e00"}})
    colors = [to_hex(patch.get_edgecolor()) for patch in figure.axes[0].patches]
    assert colors == ["#0072b2", "#d55e00"] * 2


def test_numbers_that_are_not_finite_can_be_drawn():
    assert texts_of(show_arrays(x=np.array([np.nan, np.inf, 1.0])))[:3] == ["nan", "inf", "1.00"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "show_arrays got no arrays"),
        ({"x": np.ones((2, 3, 4))}, r"x has the shape \(2, 3, 4\): expected one matrix"),
        ({"x": np.ones((0, 3))}, r"x has the shape \(0, 3\)"),
        ({"formula": "x = z", "x": Q, "y": Q}, "'x = z' does not have y: name every array"),
        ({"x": Q, "rows": {"y": WORDS}}, "there is no array y: expected x"),
        ({"x": Q, "rows": {"x": ["a"]}}, "x got 1 row labels: expected 3"),
        ({"x": Q, "marked": {"x": [(0, 2)]}}, r"x of shape \(3, 2\) has no entry \(0, 2\)"),
    ],
)
def test_what_does_not_fit_is_rejected(settings, message):
    formula = settings.pop("formula", "")
    with pytest.raises(InputError, match=message):
        show_arrays(formula, **settings)


def test_attention_is_drawn_with_a_map_for_each_head():
    assert len(show_attention(WEIGHTS, WORDS).axes) == 2  # with the color bar
    figure = show_attention(np.stack([WEIGHTS] * 4)[None], WORDS, WORDS)
    maps = [ax for ax in figure.axes if ax.get_title()]
    assert len(maps) == 4
    assert [label.get_text() for label in maps[0].get_xticklabels()] == WORDS
    with pytest.raises(InputError, match=r"expected \(T, S\), or \(H, T, S\)"):
        show_attention(np.ones((2, 2, 3, 3)), WORDS)
