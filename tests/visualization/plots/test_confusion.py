"""The picture of a confusion matrix: a row a right class, its colours shares of that row."""

import numpy as np
import pytest

from npformer import InputError
from npformer.visualization.plots import confusion_size, new_figure, plot_confusion
from npformer.visualization.plots.colours import lightness

COUNTS = [[30, 10, 0], [1, 0, 1], [0, 1200, 400]]
NAMES = ["neg", "neutral", "pos"]
LONG = ["a class that has a name as long as nobody wants", "b", "Wissenschaft und Technik", "d_e_f"]


@pytest.fixture
def drawn():
    figure, ax = new_figure(**confusion_size(COUNTS, NAMES))
    assert plot_confusion(ax, COUNTS, NAMES, title="t") is ax
    return figure, ax


def numbers(ax):
    return {(int(text.get_position()[1]), int(text.get_position()[0])): text for text in ax.texts}


def test_a_row_is_a_right_class_and_a_column_a_found_one(drawn):
    _, ax = drawn
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title()) == ("right class", "found class", "t")
    assert [text.get_text() for text in ax.get_yticklabels()] == NAMES
    assert [text.get_text() for text in ax.get_xticklabels()] == NAMES
    assert ax.xaxis.get_label_position() == "top"


def test_cells_hold_their_counts_and_nothing_where_there_is_none(drawn):
    found = {place: text.get_text() for place, text in numbers(drawn[1]).items()}
    assert found == {(0, 0): "30", (0, 1): "10", (1, 0): "1", (1, 2): "1", (2, 1): "1,200", (2, 2): "400"}


def test_colours_are_shares_of_the_row_from_0_to_1(drawn):
    [image] = drawn[1].images
    np.testing.assert_allclose(image.get_array(), [[0.75, 0.25, 0], [0.5, 0, 0.5], [0, 0.75, 0.25]])
    assert image.get_clim() == (0, 1)
    assert drawn[0].axes[1].get_ylabel() == "share of the right class"


def test_a_class_without_texts_has_an_empty_row():
    _, ax = new_figure()
    plot_confusion(ax, [[2, 1], [0, 0]], ["a", "b"])
    assert np.asarray(ax.images[0].get_array())[1].tolist() == [0, 0] and len(ax.texts) == 2


def contrasts(ax):
    [image] = ax.images
    for (row, column), text in numbers(ax).items():
        cell, ink = (lightness(colour) for colour in (image.to_rgba(image.get_array()[row, column]), text.get_color()))
        yield (max(cell, ink) + 0.05) / (min(cell, ink) + 0.05)


def shades(n):
    """Counts in which nearly every share between 0 and 1 comes."""
    counts = np.zeros((n, n), int)
    for i in range(n):
        counts[i, i], counts[i, i - 1] = 1 + i, n - 1 - i
    return counts


@pytest.mark.parametrize("page", ["light", "dark"])
def test_counts_can_be_read_on_every_colour(page, request):
    if page == "dark":
        request.getfixturevalue("dark")
    _, ax = new_figure()
    plot_confusion(ax, shades(20), [str(i) for i in range(20)])
    assert min(contrasts(ax)) > 4.5  # what WCAG asks of text


@pytest.mark.long
@pytest.mark.parametrize(
    "names", [["neg", "pos"], NAMES, LONG, [f"class {i}" for i in range(20)], [f"c{i}" for i in range(45)]]
)
def test_all_that_is_written_stands_on_the_page(whole, names):
    counts = np.full((len(names), len(names)), 1_234_567)
    figure, ax = new_figure(**confusion_size(counts, names))
    plot_confusion(ax, counts, names, title="1,000 texts, 90.0 % found right")
    whole(figure)


@pytest.mark.parametrize("names", [["neg", "pos"], LONG, [f"class {i}" for i in range(20)]])
def test_a_count_stands_within_its_cell(names):
    counts = np.full((len(names), len(names)), 123_456)
    figure, ax = new_figure(**confusion_size(counts, names))
    plot_confusion(ax, counts, names)
    figure.draw_without_rendering()
    (left, _), (right, _) = ax.transData.transform([(0, 0), (1, 0)])
    assert all(text.get_window_extent().width < right - left for text in ax.texts)
    (_, above), (_, below) = ax.transData.transform([(0, 0), (0, 1)])
    assert all(text.get_window_extent().height < above - below for text in ax.texts)


def test_more_than_twenty_classes_have_no_counts():
    for n, n_texts in ((20, 40 - 1), (21, 0)):
        _, ax = new_figure()
        plot_confusion(ax, shades(n), [str(i) for i in range(n)])
        assert len(ax.texts) == n_texts


@pytest.mark.parametrize(
    ("counts", "names"), [([[1, 2]], "ab"), ([[1, 2], [3, 4]], "abc"), ([], ""), ([[1, -1], [0, 0]], "ab"), (3, "a")]
)
def test_what_is_no_confusion_matrix_is_refused(counts, names):
    _, ax = new_figure()
    with pytest.raises(InputError, match=r"a confusion matrix of shape .* with \d names: expected counts"):
        plot_confusion(ax, counts, list(names))
