"""Who is timed, how often, and with what settings; how long it takes is no test's business."""

import itertools

import numpy as np
import pytest
from blas import blas_thread_counts
from threadpoolctl import threadpool_limits

from npformer import InputError
from npformer.module import Module
from npformer.paper.table1 import ATTENTION, KINDS, Kind, Size, costs, multiply_adds, watch
from npformer.paper.table1.timing import FEWEST, MOST, in_turns


class Clock:
    """A clock that stands still, unless somebody works."""

    now = 0.0

    def __call__(self):
        return self.now


class Spy(Module):
    """A layer that takes notes, and seconds of its clock."""

    def __init__(self, clock, took, notes, size, level):
        self.clock, self.took, self.notes, self.size, self.level = clock, iter(took), notes, size, level

    def forward(self, x):
        self.clock.now += next(self.took)
        self.notes.append((self.size, self.level, x.shape, x.dtype, blas_thread_counts()))
        return self.remember(x)

    def backward(self, dy):
        self.recall(dy)
        self.clock.now += 0.25
        return dy


def spying(clock, notes, took=None):
    def build(size, level):
        return Spy(clock, itertools.repeat(0.5) if took is None else took, notes, size, level)

    return Kind("spy", "", "", "", build, lambda size: size.n * size.d, lambda size: size.n)


def test_a_cost_is_the_median_of_forward_and_backward():
    clock, notes = Clock(), []
    took = [100, 1, 5, 2]
    kind = spying(clock, notes, took)
    found = list(costs((4, 2), (3, 5), kinds=[kind], budget=0, clock=clock))
    assert [(cost.kind, cost.n, cost.d) for cost in found] == [
        ("spy", 2, 3),
        ("spy", 2, 5),
        ("spy", 4, 3),
        ("spy", 4, 5),
    ]
    assert {cost.seconds for cost in found} == {2.25}
    assert [cost.multiply_adds for cost in found] == [18, 30, 36, 60] and len(notes) == 4 * (1 + FEWEST)


def test_settings_arrive_and_one_thread_computes():
    clock, notes = Clock(), []
    with threadpool_limits(2, user_api="blas"):
        list(costs((4, 20), (6, 8), k=5, r=7, batch=3, kinds=[spying(clock, notes)], budget=0, clock=clock))
    for size, level, shape, dtype, threads in notes:
        assert size[2:] == (5, 7, 3) and shape == (3, size.n, size.d) and dtype == np.float32 and threads == {1}
        assert level == (0 if size.n == 4 else 1)


@pytest.mark.parametrize(("budget", "turns"), [(0, FEWEST), (3.75, 5), (1e9, MOST)])
def test_the_budget_decides_how_many_turns(budget, turns):
    clock, notes = Clock(), []
    list(costs((2, 3), (2, 3), kinds=[spying(clock, notes)], budget=budget, clock=clock))
    assert len(notes) == 4 * (1 + turns)


def test_kinds_take_turns():
    clock, order = Clock(), []

    def work(name, seconds):
        def run():
            order.append(name)
            clock.now += seconds

        return run

    assert in_turns([work("a", 1), work("b", 3)], 15, clock) == [1, 3]
    assert "".join(order) == "ab" + "ab" * 5 + "a" * 10


def test_what_is_short_is_repeated_within_a_turn_and_divided():
    clock, calls = Clock(), []

    def work():
        calls.append(clock.now)
        clock.now += 0.001

    assert in_turns([work], 0.05, clock) == [pytest.approx(0.001)]
    assert len(calls) == 1 + 10 * 5


def test_the_layers_of_the_table_are_measured():
    found = list(costs((4, 8), (2, 4), budget=0))
    assert [cost.kind for cost in found[:5]] == [kind.name for kind in KINDS] and len(found) == 20
    assert all(cost.seconds > 0 for cost in found)
    assert found[-5].multiply_adds == multiply_adds(ATTENTION, Size(8, 4)) == 3 * ATTENTION.products(Size(8, 4))


@pytest.mark.parametrize(
    ("sizes", "settings", "message"),
    [
        (((4,), (2, 3)), {}, "1 lengths and 2 widths: expected two of each or more, to fit exponents"),
        (((4, 8), (3, 3)), {}, "2 lengths and 1 widths: expected two of each or more, to fit exponents"),
        (((4, 0), (2, 3)), {}, "n = 0: expected a whole number, 1 or more"),
        (((4, 8), (2, 3)), {"k": 2}, "k = 2: expected an odd width of the kernel"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_runs(sizes, settings, message):
    with pytest.raises(InputError, match=f"^{message}"):
        costs(*sizes, **settings)


def test_another_backend_is_refused(monkeypatch):
    monkeypatch.setattr("npformer.backend.on_gpu", lambda: True)
    with pytest.raises(InputError, match="table 1 is measured with NumPy, not on a GPU: unset NPFORMER_BACKEND"):
        costs((4, 8), (2, 3))
    with pytest.raises(InputError, match="what waits for what is measured with NumPy, not on a GPU"):
        watch(lambda x: x, np.ones((2, 2)))
