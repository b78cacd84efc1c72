"""Arrays that forked processes share, and that others' forks do not."""

import os
import sys
import warnings

import numpy as np
import pytest

from npformer.base.shared_memory import fork_sharing, is_shared, shared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux alone")


def after(fork, work):
    """Have work() done in a child, and wait for its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pid = fork()
    if pid == 0:
        work()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


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


def test_what_cannot_be_had_is_a_lack_of_memory():
    with pytest.raises(MemoryError, match="bytes can be shared"):
        shared(np.broadcast_to(np.zeros(1), 1 << 55))
