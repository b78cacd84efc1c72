"""The number of cores that this process may use."""

import os


def n_cores() -> int:
    """Return how many cores this process may use, 1 at least."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
