"""How many threads there are by default, and how many there may be."""

import os

import pytest

from npformer import InputError
from npformer.base.backend import check_workers, default_workers


def test_there_are_as_many_workers_as_cores_that_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3, 4}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert default_workers() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert default_workers() == 64


@pytest.mark.parametrize("n", [0, -1])
def test_less_than_one_is_refused(n):
    with pytest.raises(InputError, match=f"workers = {n}: expected 1 or more on a CPU, and 1 on a GPU"):
        check_workers(n)
    check_workers(1), check_workers(99)
