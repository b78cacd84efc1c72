"""What other threads of this process are doing."""

import sys
import threading
from types import FrameType

# Beside those of the standard library: a notebook's kernel, a progress bar, what spreads tests over processes
ONLY_WAITING = {"IPython", "ipykernel", "zmq", "tornado", "anyio", "tqdm", "execnet"}
CALLERS = {"run", "worker", "mapstar", "starmapstar"}  # in the standard library, for threads and its pools of them


def another_may_multiply() -> bool:
    """Tell whether another Python thread may be in the middle of a matrix product.

    It may unless it is at this moment in code of the standard library, where threads wait for a lock, a message or a
    task, or in that of a few packages whose threads do nothing else. One of multiprocessing's ThreadPool may though it
    waits: it does so in the very function that calls what it is given.
    """
    own = threading.get_ident()
    return any(thread != own and may_multiply(frame) for thread, frame in sys._current_frames().items())


def may_multiply(frame: FrameType) -> bool:
    """Tell whether the innermost function of a thread is none that is known to wait."""
    package, _, _ = frame.f_globals.get("__name__", "").partition(".")
    calls_what_it_is_given = frame.f_code.co_name in CALLERS  # which may be np.matmul
    known = package in ONLY_WAITING or (package in sys.stdlib_module_names and not calls_what_it_is_given)
    return not known
