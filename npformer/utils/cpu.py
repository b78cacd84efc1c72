"""How many cores this process may use."""

import math
import os
from functools import cache
from pathlib import Path

_CPU_MAX = Path("/sys/fs/cgroup/cpu.max")  # in a container: how much of the machine it may take


def n_cores() -> int:
    """Return how many cores this process may use, 1 at least."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(cores, _quota()), 1)


@cache
def _quota() -> float:
    """Return how many cores' time a container leaves us, infinity where nothing limits it."""
    try:
        microseconds, period = _CPU_MAX.read_text().split()
        return math.inf if microseconds == "max" else math.ceil(int(microseconds) / int(period))
    except (OSError, ValueError):
        return math.inf
