"""How many cores we may use, and how many of them other programs keep busy."""

import math
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

SAID = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")  # the first that is set is obeyed
ONE_THREAD = dict.fromkeys((*SAID, "VECLIB_MAXIMUM_THREADS"), "1")  # of a process whose products shall have one
CGROUPS, OUR_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
SYSTEM_TIMES = Path("/proc/stat")


def n_cores() -> int:
    """Return how many cores' time we may use, 1 at least."""
    return math.ceil(min(len(cores()), quota()))


def cores() -> set[int]:
    """Return the numbers of the cores that we may use."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {*range(os.cpu_count() or 1)}


@cache
def quota() -> float:
    """Return how many cores' time a container (cgroup v2) leaves us, `math.inf` where nothing limits it."""
    ours = next((line[4:] for line in lines_of(OUR_CGROUP) if line.startswith("0::/")), "")
    limits = [math.inf]
    for group in (Path(ours), *Path(ours).parents):
        for line in lines_of(CGROUPS / group / "cpu.max"):
            microseconds, period = line.split()
            if microseconds != "max":
                limits.append(int(microseconds) / int(period))
    return min(limits)


def said_threads() -> float:
    """Return on how many threads the user wants matrix products to run, `math.inf` where nothing is said."""
    for name in SAID:
        number = os.environ.get(name, "").partition(",")[0]  # OMP_NUM_THREADS may have one a level
        if number.isdecimal() and int(number) > 0:
            return int(number)
    return math.inf


class OthersWatched:
    """How many of our cores others have kept busy since this was made, on a system that tells."""

    def __init__(self):
        self.start, self.before = time.perf_counter(), foreign_seconds()

    def n_busy(self) -> float:
        """Return how many cores others kept busy on average; the system counts in hundredths of a second."""
        return max(foreign_seconds() - self.before, 0.0) / (time.perf_counter() - self.start)


def foreign_seconds() -> float:
    """Return how long our cores have been busy with anything but this process, 0 where the system does not tell."""
    ours, ticks = {f"cpu{n}" for n in cores()}, 0
    for name, *columns in (line.split() or [""] for line in lines_of(SYSTEM_TIMES)):
        if name in ours:
            user, nice, system, _idle, _waiting, *rest = map(int, columns[:8])
            ticks += user + nice + system + sum(rest)
    return ticks / os.sysconf("SC_CLK_TCK") - time.process_time() if ticks else 0.0


def lines_of(path: Path) -> list[str]:
    """Return what the system says in a file, nothing where there is no such file."""
    with suppress(OSError):
        return path.read_text().splitlines()
    return []
