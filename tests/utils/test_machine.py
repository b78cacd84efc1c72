"""How many cores we may use: those that the system, a container and the user leave us, and what others take of them."""

import math
import os
import time

import pytest

from npformer.backend import default_workers
from npformer.utils import cpu as module
from npformer.utils.cpu import SAID, OthersWatched, cores, n_cores, quota


@pytest.fixture(autouse=True)
def a_machine(monkeypatch, tmp_path):
    """Cores 1, 3 and 4 are ours, nobody says anything, and the system's files are in a folder."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3, 4}, raising=False)
    for name in SAID:
        monkeypatch.delenv(name, raising=False)
    for name, file in {"CGROUPS": "groups", "OUR_CGROUP": "cgroup", "SYSTEM_TIMES": "stat"}.items():
        monkeypatch.setattr(module, name, tmp_path / file)
    quota.cache_clear()
    yield
    quota.cache_clear()


def limit(folder, cpu_max):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpu.max").write_text(f"{cpu_max}\n")


def test_those_that_this_process_may_use(monkeypatch):
    assert (cores(), n_cores(), default_workers(), quota()) == ({1, 3, 4}, 3, 3, math.inf)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert n_cores() == default_workers() == 64


@pytest.mark.parametrize(
    ("cpu_max", "expected"),
    [("max 100000", 3), ("900000 100000", 3), ("200000 100000", 2), ("150000 100000", 2), ("30000 100000", 1)],
)
def test_a_containers_quota(tmp_path, cpu_max, expected):
    limit(tmp_path / "groups", cpu_max)
    (tmp_path / "cgroup").write_text("0::/\n")
    assert n_cores() == default_workers() == expected and type(n_cores()) is int


def test_the_closest_quota_of_all_groups_around_us_is_ours(tmp_path):
    (tmp_path / "cgroup").write_text("3:cpu:/other\n0::/slice/job/step\n")
    limit(tmp_path / "groups/other", "10000 100000")
    limit(tmp_path / "groups/slice/job", "200000 100000")
    limit(tmp_path / "groups/slice/job/step", "max 100000")
    limit(tmp_path / "groups/slice", "250000 100000")
    assert quota() == 2.0


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"OMP_NUM_THREADS": "2"}, 2),
        ({"OPENBLAS_NUM_THREADS": "1"}, 1),
        ({"MKL_NUM_THREADS": "2"}, 2),
        ({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"}, 2),  # as OpenBLAS takes them
        ({"OMP_NUM_THREADS": "2,1"}, 2),
        ({"OMP_NUM_THREADS": "16"}, 3),
        ({"OMP_NUM_THREADS": "0"}, 3),
        ({"OMP_NUM_THREADS": ""}, 3),
        ({"OMP_NUM_THREADS": "many", "MKL_NUM_THREADS": "-1"}, 3),
    ],
)
def test_what_the_user_says_of_threads_holds_for_workers(monkeypatch, said, expected):
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert (default_workers(), n_cores()) == (expected, 3) and type(default_workers()) is int


STAT = "cpu  0 0 0 0 0 0 0 0 0 0\n\ncpu0 {} 0 0 0 0 0 0 0 0 0\n{}intr 5 4\n"


def test_what_others_take_of_our_cores(tmp_path, monkeypatch):
    clock = {"perf_counter": 10.0, "process_time": 3.0}
    for name in clock:
        monkeypatch.setattr(module.time, name, lambda name=name: clock[name])
    monkeypatch.setattr(os, "sysconf", {"SC_CLK_TCK": 100}.__getitem__)

    def after(foreign, one, three, four):
        ours = {1: one, 3: three, 4: four}
        lines = "".join(f"cpu{n} {' '.join(map(str, columns))} 0 0\n" for n, columns in ours.items())
        (tmp_path / "stat").write_text(STAT.format(foreign, lines))

    after(7, (1, 2, 3, 50, 60, 4, 5, 6), (0,) * 8, (0,) * 8)
    others = OthersWatched()
    clock |= {"perf_counter": 12.0, "process_time": 4.5}
    after(999, (11, 12, 13, 950, 960, 14, 15, 16), (100, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 200))
    assert others.n_busy() == pytest.approx((0.6 + 1.0 + 2.0 - 1.5) / 2)


def test_where_the_system_does_not_tell_nobody_is_busy():
    others = OthersWatched()
    assert others.n_busy() == 0.0


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="this system does not tell what its cores did")
def test_what_this_process_did_is_in_what_the_system_says_that_all_did(monkeypatch):
    """In the same unit, or there would be less than nothing left of it for the others."""
    monkeypatch.undo()
    if not module.foreign_seconds():
        pytest.skip("this system does not tell what its cores did")
    before, start = module.foreign_seconds(), time.process_time()
    while time.process_time() < start + 0.2:
        pass
    assert module.foreign_seconds() - before > -0.02 * len(cores())
