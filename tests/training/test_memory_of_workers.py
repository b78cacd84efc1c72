"""Before a training, before weights are moved to where processes see them, and before a fork: freed memory goes."""

import platform
import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path
import numpy as np
from npformer.utils.malloc import keep_freed_memory
from npformer.workers.processes import Processes
from npformer.workers.threads import Threads

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) >> 10

def freed(act):
    arrays = [np.ones(1 << 20) for _ in range(16)]
    del arrays
    before = resident()
    act()
    return before - resident()

keep_freed_memory()
team = Processes(2)
print(freed(lambda: None), freed(lambda: Processes(2)), freed(team.renew), freed(Threads(1).renew))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps and gives back what is freed")
def test_freed_memory_is_given_back_by_a_new_team_and_at_a_renewal():
    said = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    kept, *given_back = map(int, said.split())
    assert kept < 8 and all(90 < megabytes for megabytes in given_back)
