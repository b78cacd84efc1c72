"""What is timed, how often, and with what settings."""

import numpy as np
import pytest
from blas import blas_thread_counts
from threadpoolctl import threadpool_limits

from npformer import InputError
from npformer.paper.table1 import ATTENTION, KINDS, Size, costs, multiply_adds, watch
from npformer.paper.table1.timing import take_turns


class Clock:
    """A clock that moves while somebody works."""

    now = 0.0

    def __call__(self):
        return self.now

    def work(self, seconds, order=None, name=""):
        def run():
            self.now += seconds
            if order is not None:
                order.append(name)

        return run


@pytest.mark.parametrize(("budget", "turns"), [(0, 3), (3.75, 5), (1e9, 51)])
def test_the_budget_decides_how_many_turns(budget, turns):
    clock, order = Clock(), []
    assert take_turns([clock.work(0.75, order)], budget, clock) == [0.75]
    assert len(order) == 1 + turns


def test_the_works_take_turns():
    clock, order = Clock(), []
    assert take_turns([clock.work(1, order, "a"), clock.work(3, order, "b")], 15, clock) == [1, 3]
    assert "".join(order) == "ab" + "ab" * 5 + "a" * 10


def test_short_work_is_repeated_within_a_turn_and_divided():
    clock, order = Clock(), []
    assert take_turns([clock.work(0.001, order)], 0.05, clock) == [pytest.approx(0.001)]
    assert len(order) == 1 + 10 * 5


def test_settings_arrive_and_one_thread_computes():
    seen = []

    def build(size, level):
        seen.append((size, level, blas_thread_counts()))
        return ATTENTION.build(size)

    kind = ATTENTION._replace(build=build)
    with threadpool_limits(2, user_api="blas"):
        list(costs((4, 20), (6, 8), k=5, r=7, batch=3, kinds=[kind], budget=0))
    for size, level, threads in seen:
        assert size[2:] == (5, 7, 3) and threads == {1} and level == (0 if size.n == 4 else 1)


def test_the_layers_of_the_table_are_measured():
    found = list(costs((4, 8), (2, 4), budget=0))
    assert [cost.kind for cost in found[:5]] == [kind.name for kind in KINDS] and len(found) == 20
    assert all(cost.seconds > 0 for cost in found)
    assert found[-5].multiply_adds == multiply_adds(ATTENTION, Size(8, 4)) == 3 * ATTENTION.products(Size(8, 4))


@pytest.mark.parametrize(
    ("sizes", "settings", "message"),
    [
        (((4,), (2, 3)), {}, "1 lengths and 2 widths: expected at least two of each"),
        (((4, 8), (3, 3)), {}, "2 lengths and 1 widths: expected at least two of each"),
        (((4, 0), (2, 3)), {}, "n = 0: expected an integer >= 1"),
        (((4, 8), (2, 3)), {"k": 2}, "k = 2: expected an odd kernel width"),
    ],
)
def test_sizes_that_cannot_be_measured_are_refused_before_anything_runs(sizes, settings, message):
    with pytest.raises(InputError, match=f"^{message}"):
        list(costs(*sizes, **settings))


def test_another_backend_is_refused(monkeypatch):
    monkeypatch.setattr("npformer.backend.on_gpu", lambda: True)
    with pytest.raises(InputError, match="table 1 needs NumPy, not a GPU: unset NPFORMER_BACKEND"):
        costs((4, 8), (2, 3))
    with pytest.raises(InputError, match="needs NumPy, not a GPU"):
        watch(lambda x: x, np.ones((2, 2)))
