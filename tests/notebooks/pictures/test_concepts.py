"""The pictures of the paper's ideas draw what the code computes."""

import math

import numpy as np
import pytest

from helpers.pictures import (
    plot_position_waves,
    plot_positions,
    show_ideas_of_positions,
    show_sizes,
)
from helpers.pictures.positions import STEPS
from npformer.layers import MultiHeadAttention
from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure


@pytest.fixture
def ax():
    return new_figure()[1]


def ticks(labels):
    return [label.get_text() for label in labels]


def test_position_plot_shows_the_encoding(ax):
    table = sinusoids(20, 8)
    assert plot_positions(ax, table) is ax
    assert (ax.images[0].get_array() == table).all() and ax.images[0].get_clim() == (-1, 1)


def test_learned_positions_have_symmetric_color_limits(ax):
    plot_positions(ax, [[0.5, -3.0]])
    assert ax.images[0].get_clim() == (-3, 3)


def test_waves_equal_encoding_at_every_position(ax):
    assert plot_position_waves(ax, 16, dimensions=[0, 4, 14], n_positions=30) is ax
    table = sinusoids(30, 16)
    for row, dimension in enumerate([0, 4, 14]):
        for odd in (0, 1):
            drawn = (ax.lines[2 * row + odd].get_ydata()[::STEPS] + row) / 0.4
            np.testing.assert_allclose(drawn, table[:, dimension + odd], atol=1e-12)
    assert ticks(ax.get_yticklabels()) == ["0, 1", "4, 5", "14, 15"]


def test_wavelengths_range_from_2_pi_to_20000_pi(ax):
    plot_position_waves(ax, 512)
    lengths = [float(text.get_text().split()[0].replace(",", "")) for text in ax.texts[:-1]]
    assert lengths[0] == round(2 * math.pi, 1) and lengths == sorted(lengths)
    assert lengths[-1] == round(2 * math.pi * 10000 ** (510 / 512))


def test_ideas_of_positions_write_each_position_in_four_ways():
    [ax] = show_ideas_of_positions().axes
    numbers = [text.get_text() for text in ax.texts]
    rows = [numbers[start : start + 4] for start in range(0, len(numbers))]
    assert ["0", "1", "1", "1"] in rows and ["1", "0", "0", "0"] in rows  # 7 and 8
    assert ["0.84", "0.54", "0.10", "1.00"] in rows  # position 1
    assert {"n", "n / length", "binary digits", "waves"} <= set(numbers)


def test_sizes_are_counted_once_each_with_biases_of_keys_apart():
    model = MultiHeadAttention(8, 2, rng=0)
    arrays = [np.full(p.data.shape, 10.0**-i) for i, (_, p) in enumerate(model.named_parameters())]
    arrays[0][0] = 0  # zeros have no size
    names = [name for name, _ in model.named_parameters()]
    axes = show_sizes(model, gradients=arrays, steps=arrays, mark=0.1).axes
    assert len(axes) == 2 and axes[1].lines[0].get_xdata()[0] == pytest.approx(-1)
    for ax in axes:
        others, key_biases = (container.datavalues for container in ax.containers)
        n_numbers = sum(np.count_nonzero(array) for array in arrays)
        assert others.sum() == n_numbers - 8 and key_biases.sum() == 8
        place = int(key_biases.argmax())
        middle = ax.containers[1][place].get_x() + ax.containers[1][place].get_width() / 2
        assert middle == pytest.approx(-names.index("w_key.bias"))
