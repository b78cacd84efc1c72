import numpy as np
import pytest

from npformer import InputError
from npformer.visualization.plots import new_figure, plot_heat_map


@pytest.fixture
def axes():
    return new_figure()[1]


def color(ax, row, column):
    """Return red, green and blue of a cell."""
    image = ax.images[0]
    return np.array(image.cmap(image.norm(image.get_array()))[row, column][:3])


def test_heat_map_is_plotted_into_axes_and_axes_returned(axes):
    values = np.array([[1.0, -2.0, 0.5]])
    assert plot_heat_map(axes, values, title="t", row_label="r", column_label="c") is axes
    np.testing.assert_array_equal(np.asarray(axes.images[0].get_array()), values)
    assert (axes.get_title(), axes.get_ylabel(), axes.get_xlabel()) == ("t", "r", "c")
    assert axes.get_xlim() == (-0.5, 2.5) and axes.get_ylim() == (0.5, -0.5)


def test_color_limits_are_symmetric(axes):
    plot_heat_map(axes, [[3.0, -1.0, 0.0, 1.0]])
    assert axes.images[0].get_clim() == (-3, 3)
    red, blue, white, light_red = (color(axes, 0, column) for column in range(4))
    assert white.min() > 0.95 and red[0] > 2 * red[2] and blue[2] > blue[0]
    assert light_red[0] > 0.9 and white.sum() > light_red.sum() > red.sum()


def test_limit_may_be_above_or_below_the_largest_value(axes):
    for limit in (5.0, 0.5):
        plot_heat_map(axes, [[1.0, -2.0]], limit=limit)
        assert axes.images[-1].get_clim() == (-limit, limit)


def test_zeros_are_white(axes):
    plot_heat_map(axes, [[0.0, 0.0]])
    assert axes.images[0].get_clim() == (-1, 1)
    assert color(axes, 0, 0).min() > 0.95


@pytest.mark.parametrize(
    ("values", "ends"), [([[0.0, 0.5]], (0, 0.5)), ([[-0.1, 0.5]], (-0.5, 0.5))]
)
def test_color_bar_of_magnitudes_starts_at_zero(axes, values, ends):
    plot_heat_map(axes, values)
    assert axes.figure.axes[1].get_ylim() == ends and axes.images[0].get_clim() == (-0.5, 0.5)
    assert axes.figure.axes[1].get_ylabel() == "value"


def test_non_finite_entries_are_gray_and_labeled(axes):
    plot_heat_map(axes, [[np.nan, 1.0], [-np.inf, -2.0]])
    assert axes.images[0].get_clim() == (-2, 2)
    assert color(axes, 0, 0).tolist() == color(axes, 1, 0).tolist() == [0.6, 0.6, 0.6]
    assert axes.figure.axes[1].get_ylabel() == "value (gray: not a number)"


def test_masked_entries_are_gray(axes):
    plot_heat_map(axes, np.ma.masked_array([[1, 2], [3, -99]], [[0, 0], [0, 1]]))
    assert axes.images[0].get_clim() == (-3, 3)
    assert color(axes, 1, 1).tolist() == [0.6, 0.6, 0.6]


def test_names_replace_numbers_unless_too_many(axes):
    plot_heat_map(
        axes,
        np.zeros((2, 50)),
        row_names=["der", "Hund"],
        column_names=[f"t{i}" for i in range(50)],
    )
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["der", "Hund"]
    # in their place the numbers of some columns
    assert set(np.diff(axes.get_xticks())) == {8}


def test_numbers_of_rows_are_whole_and_names_of_columns_are_turned(axes):
    plot_heat_map(axes, np.zeros((2, 2)), column_names=["der", "Hund"])
    assert (axes.get_yticks() % 1 == 0).all()
    turned = {(text.get_rotation(), text.get_ha()) for text in axes.get_xticklabels()}
    assert turned == {(45, "right")}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"row_names": ["a"]}, "1 row names for 2 rows: give one for each, or none"),
        ({"column_names": list("ab")}, "2 column names for 3 columns: give one for each, or none"),
    ],
)
def test_each_row_or_column_needs_a_name(axes, names, message):
    with pytest.raises(InputError) as caught:
        plot_heat_map(axes, np.zeros((2, 3)), **names)
    assert str(caught.value) == message


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((2, 2, 2)), np.zeros((0, 3)), 1.0])
def test_heat_map_requires_a_matrix(axes, values):
    with pytest.raises(InputError, match=r"expected \(rows, columns\)"):
        plot_heat_map(axes, values)


@pytest.mark.parametrize(("n", "shown"), [(40, True), (41, False)])
def test_forty_names_are_shown_and_no_more(axes, n, shown):
    names = [f"n{i}" for i in range(n)]
    plot_heat_map(axes, np.zeros((1, n)), column_names=names)
    assert ([label.get_text() for label in axes.get_xticklabels()] == names) is shown
