import numpy as np
import pytest

from npformer import InputError
from npformer.visualization.plots import grid_shape, new_figure, plot_attention_grid

QUERIES, KEYS = ["der", "Hund", "<eos>"], ["the", "dog", "sleeps", ".", "<eos>"]


def images(axes):
    return [ax.images[0].get_array() for ax in np.ravel(axes) if ax.get_visible()]


def test_each_head_has_its_map_in_row_major_order(weights):
    figure, axes = new_figure(2, 2)
    assert plot_attention_grid(axes, weights, QUERIES, KEYS) is axes
    np.testing.assert_array_equal(images(axes), weights)
    assert [ax.get_title() for ax in axes.flat] == ["head 0", "head 1", "head 2", "head 3"]
    [bar] = [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]
    assert bar.get_ylabel() == "attention weight" and bar.yaxis.label.get_fontsize() == 8
    assert {text.get_fontsize() for text in bar.get_yticklabels()} == {7}
    # tokens are at the outer maps alone, in smaller letters than titles
    for place, ax in enumerate(axes.flat):
        assert ax.xaxis.get_tick_params()["labeltop"] == (place < 2)
        assert ax.yaxis.get_tick_params()["labelleft"] == (place % 2 == 0)
    sizes = {text.get_fontsize() for text in axes[0, 0].get_xticklabels()}
    assert (sizes, axes[0, 0].title.get_fontsize()) == ({7}, 8)


def test_layers_are_in_order_and_labeled(weights):
    _, axes = new_figure(2, 4)
    both = np.stack([weights, weights[::-1]])
    plot_attention_grid(axes, both, QUERIES, KEYS)
    np.testing.assert_array_equal(images(axes), [*weights, *weights[::-1]])
    assert axes[1, 2].get_title() == "layer 1, head 2"


def test_heads_can_be_selected_and_unused_axes_are_hidden(weights):
    _, axes = new_figure(1, 3)
    plot_attention_grid(axes, weights, QUERIES, KEYS, heads=[3, 1])
    np.testing.assert_array_equal(images(axes), weights[[3, 1]])
    assert [ax.get_title() for ax in axes[:2]] == ["head 3", "head 1"] and not axes[2].get_visible()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"weights": np.ones((4, 5, 3))},
            r"^attention weights have shape \(4, 5, 3\): expected \(H, T, S\) with T = 3 query "
            "tokens and S = 5 key tokens$",
        ),
        ({"weights": np.ones((3, 5))}, r"expected \(layers, H, T, S\)"),
        ({"heads": [4]}, "head 4 is unknown: expected 0 to 3"),
        ({"heads": [-1]}, "head -1 is unknown"),
        ({"n_columns": 3}, "4 heat maps do not fit 3 Axes: make them with grid_shape"),
    ],
)
def test_mismatched_input_is_rejected(weights, change, message):
    given = {"weights": weights, "heads": (), "n_columns": 4, **change}
    axes = new_figure(1, given["n_columns"])[1]
    with pytest.raises(InputError, match=message):
        plot_attention_grid(axes, given["weights"], QUERIES, KEYS, heads=given["heads"])


def test_maps_of_many_keys_are_one_below_the_other():
    assert grid_shape(1, 3, n_keys=100) == grid_shape(1, 3, n_keys=101) == (3, 1)
