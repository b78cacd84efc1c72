"""Table 1: the formulas count what NumPy multiplies, paths are as long as section 4 says, and
fits are exponents.
"""

import math
import time
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from npformer import InputError
from npformer.paper.table1 import (
    KINDS,
    Cost,
    Size,
    Table1,
    gradient_by_position,
    layers_between_ends,
    measure_costs,
    plot_layer_costs,
)
from npformer.visualization.plots import new_figure
from tests.blas import blas_thread_counts
from tests.paper.matmul_counter import count_multiply_adds, counted

ATTENTION, LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS
every_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
LENGTHS, WIDTHS = (16, 64, 256), (8, 32, 128)
POWERS = ((2, 1), (1, 2), (1, 2), (1, 2), (1, 1))  # of n and d, for each kind


@pytest.fixture(scope="session")
def table():
    """Table 1 with seconds that follow the paper's formulas."""
    costs = [
        Cost(kind.name, n, d, 3 * kind.multiply_adds(Size(n, d, r=4)), 1e-9 * n**a * d**b)
        for d in WIDTHS
        for n in LENGTHS
        for kind, (a, b) in zip(KINDS, POWERS, strict=True)
    ]
    return Table1(costs[::-1], k=3, r=4)


@every_kind
@pytest.mark.parametrize(
    "size", [Size(7, 5), Size(40, 2, k=5, r=17), Size(1, 6), Size(19, 128, r=2, batch=2)], ids=str
)
def test_formulas_equal_counted_multiply_adds(kind, size):
    layer = kind.build(size, size.n_dilations - 1, rng=0, dtype="float64")
    forward, backward = count_multiply_adds(layer, counted(size.input("float64")))
    assert forward == size.batch * kind.multiply_adds(size) == backward / 2 > 0


def test_formulas_equal_those_of_notebook_10():
    n, d, k, r = 4096, 512, 3, 32
    expected = [
        2 * n**2 * d + 4 * n * d**2,
        8 * n * d**2,
        k * n * d**2,
        k * n * d**2,
        2 * n * (r + 32) * d + 4 * n * d**2,
    ]
    assert [kind.multiply_adds(Size(n, d, k, r)) for kind in KINDS] == expected


@pytest.mark.parametrize(("d", "expected"), [(32, 1), (64, 1), (128, 2), (512, 8), (100, 1)])
def test_heads_have_64_features_if_64_divides_d(d, expected):
    assert Size(3, d).n_heads == expected == ATTENTION.build(Size(3, d), 0, rng=0).n_heads


@pytest.mark.parametrize(
    ("n", "k", "expected"), [(1, 3, 1), (3, 3, 1), (4, 3, 2), (9, 3, 2), (10, 3, 3), (26, 5, 3)]
)
def test_largest_dilation_is_within_the_sequence(n, k, expected):
    size = Size(n, 2, k)
    assert size.n_dilations == expected
    dilations = [DILATED.build(size, level, rng=0).offsets[1] for level in range(expected + 1)]
    assert dilations == [*(k**level for level in range(expected)), 1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n = 0: expected an integer >= 1"),
        ({"d": 2.5}, "d = 2.5: expected an integer >= 1"),
        ({"k": 4}, "k = 4: expected an odd kernel width, 3 or more"),
        ({"k": 1}, "k = 1: expected an odd kernel width, 3 or more"),
    ],
)
def test_invalid_sizes_are_rejected(wrong, message):
    with pytest.raises(InputError, match=message):
        Size(**{"n": 5, "d": 4, **wrong})


@pytest.mark.parametrize(
    ("kind", "n", "k", "r", "expected"),
    [
        (ATTENTION, 12, 3, 32, 1),
        (LSTM, 12, 3, 32, 1),
        *(
            (CONVOLUTION, n, k, 32, math.ceil((n - 1) / (k // 2)))
            for n, k in [(2, 3), (12, 3), (13, 5), (14, 7)]
        ),
        *(
            (DILATED, n, k, 32, layers)
            for n, k, layers in [(2, 3, 1), (14, 3, 3), (41, 3, 4), (41, 5, 5)]
        ),
        *(
            (RESTRICTED, n, 3, r, math.ceil((n - 1) / (r - r // 2)))
            for n, r in [(2, 2), (10, 4), (12, 3), (12, 30)]
        ),
    ],
)
def test_layers_between_ends(kind, n, k, r, expected):
    assert layers_between_ends(kind, Size(n, 4, k, r)) == expected


def test_gradient_reaches_receptive_field_of_layers():
    size = Size(9, 4, k=5, r=4)
    for n_layers in (1, 2, 3):
        for kind in (CONVOLUTION, RESTRICTED):
            reached = gradient_by_position(kind, size, n_layers) > 0
            assert reached.tolist() == [t >= 8 - 2 * n_layers for t in range(9)]
    assert (gradient_by_position(LSTM, size, 1) > 0).all()


def test_gradient_by_position_is_a_norm():
    size, dy = Size(4, 3), np.random.default_rng(1).standard_normal((1, 3))
    layer = CONVOLUTION.build(size, 0, rng=np.random.default_rng(2), dtype="float64")
    expected = [np.linalg.norm(dy @ layer.weight.data[j].T) for j in (0, 1)]
    np.testing.assert_allclose(gradient_by_position(CONVOLUTION, size, 1), [0, 0, *expected])


def test_measurement_uses_settings_and_one_thread():
    built = []

    def build(size, level, rng):
        built.append((size, level, blas_thread_counts()))
        return ATTENTION.build(size, level, rng=rng)

    kind = ATTENTION._replace(build=build)
    with threadpool_limits(2, user_api="blas"):
        [cost, *_] = measure_costs((4, 20), (6, 8), k=5, r=7, batch=3, kinds=[kind], turns=1)
    assert (
        cost[:4] == ("self-attention", 4, 6, 9 * ATTENTION.multiply_adds(Size(4, 6)))
        and cost.seconds > 0
    )
    for size, level, threads in built:
        assert (
            (size.k, size.r, size.batch) == (5, 7, 3)
            and threads == {1}
            and level == (0 if size.n == 4 else 1)
        )


def test_every_layer_is_measured():
    costs = list(measure_costs((4, 8), (2, 4), turns=1))
    assert [cost[:4] for cost in costs] == [
        (kind.name, n, d, 3 * kind.multiply_adds(Size(n, d, k=3, r=32, batch=1)))
        for n in (4, 8)
        for d in (2, 4)
        for kind in KINDS
    ]


def test_median_of_turns_counts_and_short_work_is_repeated(monkeypatch):
    """Work of 2.5 ms is done twice in each turn, and work of 100 ms once."""
    now, done = [0.0], []
    milliseconds = {"short": [2.5, 1, 1, 5, 5, 2, 2], "long": [100, 30, 20, 70]}
    monkeypatch.setattr("npformer.paper.table1.measurements.CLOCK", lambda: now[0])

    def kind(name):
        def forward(x):
            now[0] += milliseconds[name].pop(0) / 1000
            done.append(name)

        layer = SimpleNamespace(forward=forward, backward=lambda dy: None)
        return LSTM._replace(name=name, build=lambda *size, rng: layer)

    costs = list(measure_costs((4,), (6,), turns=3, kinds=[kind("short"), kind("long")]))
    assert [cost.kind for cost in costs] == ["short", "long"]
    assert [cost.seconds for cost in costs] == pytest.approx([0.002, 0.03])
    assert done == ["short", "long", *["short", "short", "long"] * 3]


def test_waiting_is_not_measured(monkeypatch):
    monkeypatch.setattr("npformer.paper.table1.measurements.TURN_SECONDS", 0)  # one repetition
    layer = SimpleNamespace(forward=lambda x: time.sleep(0.1), backward=lambda dy: None)
    [cost] = measure_costs(
        (4,), (6,), kinds=[ATTENTION._replace(build=lambda *size, rng: layer)], turns=1
    )
    assert cost.seconds < 0.05


def test_gpu_backend_is_rejected(monkeypatch):
    monkeypatch.setattr("npformer.backend.on_gpu", lambda: True)
    with pytest.raises(InputError, match="table 1 needs NumPy, not a GPU: unset NPFORMER_BACKEND"):
        next(measure_costs((4, 8), (2, 3)))


def test_columns_are_sorted(table):
    assert (table.lengths, table.widths) == ([16, 64, 256], [8, 32, 128])
    assert table.column("seconds", RESTRICTED, d=32) == pytest.approx(
        [1e-9 * 32 * n for n in table.lengths]
    )
    assert table.column("seconds", LSTM, n=64) == pytest.approx(
        [1e-9 * 64 * d * d for d in table.widths]
    )


def test_exponents_of_seconds_equal_formulas(table):
    for kind, powers in zip(KINDS, POWERS, strict=True):
        assert (
            table.exponent("seconds", kind, d=32),
            table.exponent("seconds", kind, n=64),
        ) == pytest.approx(powers)
    by_width = [table.exponent("multiply_adds", ATTENTION, d=d) for d in (128, 8)]
    assert 1 < by_width[0] < by_width[1] < 2


def test_exponent_is_of_the_larger_half_of_the_sizes():
    seconds = {1: 99.0, 2: 99.0, 4: 4.0, 8: 4.0, 16: 16.0}
    costs = [Cost(LSTM.name, n, 8, 1, s) for n, s in seconds.items()]
    # the line through (2, 2), (3, 2) and (4, 4), the logarithms to base 2
    assert Table1(costs, k=3, r=4).exponent("seconds", LSTM, d=8) == pytest.approx(1)


def test_operations_are_shown_next_to_paper(table):
    assert table.operations().splitlines() == [
        "operations        paper       multiply-adds   seconds",
        "self-attention    O(n^2 d)    n^1.88 d^1.34   n^2.00 d^1.00",
        "recurrent (LSTM)  O(n d^2)    n^1.00 d^2.00   n^1.00 d^2.00",
        "convolution       O(k n d^2)  n^1.00 d^2.00   n^1.00 d^2.00",
        "dilated           O(k n d^2)  n^1.00 d^2.00   n^1.00 d^2.00",
        "restricted        O(r n d)    n^1.00 d^1.86   n^1.00 d^1.00",
        "exponents fitted over n from 64 to 256 at d = 8, d from 32 to 128 at n = 256",
    ]


def test_path_lengths_are_shown_next_to_paper(table):
    head, *rows = table.path_lengths((3, 5, 9)).splitlines()
    assert head.split() == "sequential n=3 n=5 n=9 path n=3 n=5 n=9".split()
    assert [row.split()[-8:] for row in rows] == [
        "O(1) 4 4 4 O(1) 1 1 1".split(),
        "O(n) 3 5 9 O(n) 1 1 1".split(),
        "O(1) 1 1 1 O(n/k) 2 4 8".split(),
        "O(1) 1 1 1 O(log_k n) 2 2 4".split()[-8:],
        "O(1) 4 4 4 O(n/r) 1 2 4".split(),
    ]


@pytest.mark.parametrize("lengths", [[64], [64, 128, 128]])
def test_exponent_needs_different_sizes(lengths):
    costs = [Cost(LSTM.name, n, 8, n, 1.0) for n in lengths]
    with pytest.raises(InputError, match=r"^. costs of .*: expected two different sizes or more"):
        Table1(costs, k=3, r=4).exponent("multiply_adds", LSTM, d=8)


def test_plot_has_line_and_exponent_for_each_layer_type(table):
    _, ax = new_figure()
    assert plot_layer_costs(ax, table, 32) is ax
    for line, kind, (power, _) in zip(ax.lines, KINDS, POWERS, strict=True):
        assert line.get_label() == f"{kind.name}, $n^{{{power:.1f}}}$"
        assert line.get_xdata().tolist() == table.lengths
        assert list(line.get_ydata()) == table.column("seconds", kind, d=32)
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_title()) == ("log", "log", "d = 32")
    assert [line.get_marker() for line in ax.lines] == list("osv^D")
    assert ax.get_xlabel() == "n"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["16", "64", "256"]
    labels = [line.get_label() for line in ax.lines]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == labels
