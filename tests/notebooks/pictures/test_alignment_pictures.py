import numpy as np
import pytest

from helpers.pictures import plot_alignment, plot_error_rates
from npformer import InputError
from npformer.visualization.plots import new_figure

WEIGHTS = np.array([[0.9, 0.1, 0.0], [0.25, 0.25, 0.5]])


@pytest.fixture
def axes():
    return new_figure()[1]


def outlined(axes):
    """The cells (column, row) in whose middle an outline has its own."""
    return {
        (
            round(patch.get_x() + patch.get_width() / 2),
            round(patch.get_y() + patch.get_height() / 2),
        )
        for patch in axes.patches
    }


def test_gold_links_are_outlined_over_weights(axes):
    drawn = plot_alignment(
        axes, WEIGHTS, ["der", "Hund"], ["the", "dog", "<eos>"], ((0, 0), (2, 1)), title="layer 1"
    )
    assert drawn is axes and axes.get_title() == "layer 1"
    assert (axes.images[0].get_array() == WEIGHTS).all()
    assert outlined(axes) == {(0, 0), (2, 1)}
    assert not any(patch.get_fill() for patch in axes.patches)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["der", "Hund"]


@pytest.mark.parametrize("link", [(3, 0), (0, 2), (-1, 0)])
def test_link_outside_the_weights_is_rejected(axes, link):
    with pytest.raises(InputError, match="is outside weights of 2 rows and 3 columns"):
        plot_alignment(axes, WEIGHTS, ["der", "Hund"], ["the", "dog", "<eos>"], [link])


def test_error_rate_cells_have_values_and_best_is_outlined(axes):
    rates = np.array([[0.5, 0.75, 0.6125], [0.125, 0.9, 0.2]])
    assert plot_error_rates(axes, rates, title="reverse") is axes
    assert (axes.images[0].get_array() == 100 * rates).all()
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert written == {
        (0, 0): "50.0",
        (1, 0): "75.0",
        (2, 0): "61.3",
        (0, 1): "12.5",
        (1, 1): "90.0",
        (2, 1): "20.0",
    }
    assert [label.get_text() for label in axes.get_xticklabels()] == ["head 0", "head 1", "mean"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["layer 0", "layer 1"]
    assert outlined(axes) == {(0, 1)}
    assert {text.get_position() for text in axes.texts if text.get_weight() == "bold"} == {(0, 1)}
    assert axes.get_title() == "reverse"
