"""Arrays that forked processes share, and that others' forks do not."""

import faulthandler
import os
import signal
import sys
import threading
import warnings

import numpy as np
import pytest

from npformer.base import shared_memory
from npformer.base.shared_memory import fork_sharing, is_shared, shared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux alone")


def after(fork, work, expected=0):
    """Have work() done in a child, and wait for its end, which is to be by this status, or below 0 by this signal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pid = fork()
    if pid == 0:
        work()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == expected


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_a_copy_has_shape_type_and_values(dtype):
    array = np.arange(12, dtype=dtype).reshape(3, 4)
    copy = shared(array)
    assert copy.shape == (3, 4) and copy.dtype == dtype and (copy == array).all() and copy.flags.writeable
    assert is_shared(copy) and is_shared(copy[1:].T) and not is_shared(array) and not is_shared(copy.copy())
    assert shared(copy) is copy and not np.shares_memory(copy, array)
    assert shared(np.empty(0, dtype)).size == 0


def test_a_child_of_ours_shares_it_and_one_of_others_does_not():
    array = shared(np.zeros(5000))
    after(fork_sharing, lambda: array.fill(1))
    assert (array == 1).all()
    after(os.fork, lambda: array.fill(2))
    assert (array == 1).all()
    after(os.fork, lambda: os._exit(not (array == 1).all()))
    array += 1
    after(fork_sharing, lambda: array.fill(3))
    assert (array == 3).all()


def test_a_child_of_others_has_memory_that_it_shares_with_nobody():
    array = shared(np.zeros(5000))

    def work():
        again = shared(array)
        after(fork_sharing, lambda: (array.fill(1), again.fill(1)))
        os._exit(is_shared(array) or array.any() or not again.all())

    after(os.fork, work)
    assert is_shared(array) and not array.any()


def test_a_file_in_memory_is_not_shared(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(5))
    assert not is_shared(np.load(tmp_path / "a.npy", mmap_mode="c"))


def test_where_nothing_can_be_kept_a_child_of_others_cannot_touch_it(monkeypatch):
    import resource  # which Windows has not

    array, home = shared(np.zeros(5000)), os.getpid()

    def listed(blocks):
        if os.getpid() == home:
            raise MemoryError
        return [*blocks]

    def work():
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        array.fill(1)

    monkeypatch.setattr(shared_memory, "list", listed, raising=False)
    after(os.fork, lambda: None)
    after(os.fork, work, -signal.SIGSEGV)
    assert not array.any()


def test_where_no_memory_can_be_put_in_its_place_a_child_of_others_ends(monkeypatch):
    array = shared(np.ones(5000))
    monkeypatch.setattr(shared_memory, "MAP_FIXED", 0)
    after(os.fork, lambda: array.fill(2), 1)
    assert (array == 1).all()


def test_two_threads_may_fork_at_once():
    array = shared(np.zeros(5000))
    other = threading.Thread(target=shared_memory.keep)  # which goes on to a fork of its own
    other.start(), other.join()
    after(fork_sharing, lambda: array.fill(1))
    assert (array == 1).all()


def test_what_cannot_be_had_is_a_lack_of_memory():
    with pytest.raises(MemoryError, match="bytes can be shared"):
        shared(np.broadcast_to(np.zeros(1), 1 << 55))
