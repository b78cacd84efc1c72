"""The picture of a confusion matrix: a row a right class, its colors shares of that row."""

import numpy as np
import pytest

from helpers.pictures import confusion_size, plot_confusion
from npformer import InputError
from npformer.visualization.plots import new_figure

COUNTS = [[30, 10, 0], [1, 0, 1], [0, 1200, 400]]
NAMES = ["neg", "neutral", "pos"]


@pytest.fixture
def drawn():
    figure, ax = new_figure(**confusion_size(COUNTS, NAMES))
    assert plot_confusion(ax, COUNTS, NAMES, title="t") is ax
    return figure, ax


def numbers(ax):
    return {(int(text.get_position()[1]), int(text.get_position()[0])): text for text in ax.texts}


def test_rows_are_true_and_columns_predicted_classes(drawn):
    _, ax = drawn
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title()) == (
        "true class",
        "predicted class",
        "t",
    )
    assert [text.get_text() for text in ax.get_yticklabels()] == NAMES
    assert [text.get_text() for text in ax.get_xticklabels()] == NAMES
    assert ax.xaxis.get_label_position() == "top"


def test_cells_show_nonzero_counts(drawn):
    found = {place: text.get_text() for place, text in numbers(drawn[1]).items()}
    assert found == {
        (0, 0): "30",
        (0, 1): "10",
        (1, 0): "1",
        (1, 2): "1",
        (2, 1): "1,200",
        (2, 2): "400",
    }


def test_colors_are_row_shares_from_0_to_1(drawn):
    [image] = drawn[1].images
    np.testing.assert_allclose(image.get_array(), [[0.75, 0.25, 0], [0.5, 0, 0.5], [0, 0.75, 0.25]])
    assert image.get_clim() == (0, 1)
    assert drawn[0].axes[1].get_ylabel() == "share of the true class"


@pytest.mark.parametrize(
    ("counts", "names"),
    [([[1, 2]], "ab"), ([[1, 2], [3, 4]], "abc"), ([], ""), ([[1, -1], [0, 0]], "ab"), (3, "a")],
)
def test_invalid_confusion_matrix_is_rejected(counts, names):
    _, ax = new_figure()
    with pytest.raises(
        InputError, match=r"a confusion matrix of shape .* with \d names: expected counts"
    ):
        plot_confusion(ax, counts, list(names))
