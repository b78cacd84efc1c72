"""The workers that share an update, or sentences to translate: this thread, and threads or processes beside it.

A team, of either kind, has five methods. `join(*methods)` tells it what the workers may be asked for, and moves the
arrays that these methods see and change: their owners have a method `move_to(visible)`. `each(method, items)` has them
work on items side by side. `renew()` says that what they compute with has been exchanged. `visible(array)` returns an
array that all see. `close()` lets the workers go; one that nobody holds any more does so by itself.
"""

import os
import sys

from ..base import InputError
from .processes import Processes
from .threads import Threads


def team(n: int, *, processes: bool | None = None, n_ranks: int = 1) -> Processes | Threads:
    """Return a team of n workers: processes or threads as asked, for None processes where these can be had.

    Threads take turns at everything but NumPy's inner loops, and where calls are short (10 to 50 us each in a small
    model) waking one another costs more than the second core brings. Processes do not wait for each other.

    Beside a thread of somebody else's that may be multiplying matrices no process can safely be forked: where none is
    asked for, a team of processes works in threads then. Ask for processes where it multiplies none.

    A fork is for Linux alone: libraries of macOS do not survive one, and Windows has none. Ranks have threads, and so
    has every process in which MPI was begun, for it and a fork do not go together on every network; there may be as
    many ranks as there are cores instead.

    Raises `InputError` for processes where there can be none.
    """
    alone = n_ranks == 1 and "mpi4py.MPI" not in sys.modules
    possible = sys.platform == "linux" and hasattr(os, "fork") and alone
    if processes and not possible:
        raise InputError("processes = True: expected Linux, and no other ranks. Leave it out, for threads")
    return Processes(n, sure=bool(processes)) if n > 1 and possible and processes is not False else Threads(n)
