from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from npformer import InputError
from npformer.paper.table1 import KINDS, Cost, Table1, plot_layer_costs
from npformer.paper.table1.plot import LABEL_DISTANCE
from npformer.visualization.plots import new_figure


@pytest.fixture
def table():
    costs = [
        Cost(kind.name, n, d, 1, (1 + i / 50) * 1e-6 * n * d)
        for i, kind in enumerate(KINDS)
        for n in (8, 32, 64)
        for d in (2, 4)
    ]
    return Table1(costs, [], 3, 4, 1)


def test_each_kind_has_a_line_of_its_own_look(table):
    _, ax = new_figure()
    assert plot_layer_costs(ax, table, 4) is ax
    for line, kind in zip(ax.lines, KINDS, strict=True):
        assert line.get_label() == kind.name
        assert line.get_xdata().tolist() == [8, 32, 64] and list(line.get_ydata()) == table.column("seconds", kind, d=4)
    assert len({line.get_linestyle() for line in ax.lines}) >= 4
    assert len({to_hex(line.get_color()) for line in ax.lines}) == len({line.get_marker() for line in ax.lines}) == 5
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_title()) == ("log", "log", "d = 4")


def test_names_and_exponents_stand_beside_the_ends_and_apart(table):
    _, ax = new_figure()
    plot_layer_costs(ax, table, 2)
    assert [text.get_text() for text in ax.texts] == [f"{kind.name}, $n^{{1.0}}$" for kind in KINDS]
    heights = [text.get_position()[1] for text in ax.texts]
    assert all(upper - lower >= LABEL_DISTANCE - 1e-9 for lower, upper in pairwise(heights))


def test_pictures_share_an_axis_of_seconds(table):
    _, ax = new_figure()
    plot_layer_costs(ax, table, 2, between=(1e-9, 10))
    assert ax.get_ylim() == (1e-9, 10)


def test_a_width_that_was_not_measured_is_refused(table):
    with pytest.raises(InputError, match=r"^d = 3 was not measured: expected one of 2, 4$"):
        plot_layer_costs(new_figure()[1], table, 3)
