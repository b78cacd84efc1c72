"""An ablation that is stopped in any way leaves no process behind, and goes on with no finished run trained again."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "npformer"]
RUNS = ["base", "G-init-glorot_normal", "G-init-per_head"]


@pytest.fixture
def start(tiny_recipe):
    def begin(folder):
        options = ["--recipe", tiny_recipe, "--rows", "G", "--seeds", "1", "--jobs", "2", str(folder)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([*PROGRAM, "ablate", *options], **pipes)

    return begin


def working_on(folder):
    """Return the processes that have something below a folder among their arguments."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and os.fsencode(folder) in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def exact(folder):
    """Return what each run has come to, but for its seconds, and its weights."""
    rows = [line.split(",")[:-1] for line in (folder / "results.csv").read_text().splitlines()]
    return rows, [(folder / name / "0" / "weights.safetensors").read_bytes() for name in RUNS]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_behind(start, tmp_path, how):
    process = start(tmp_path)
    wait_until(lambda: len(list(tmp_path.glob("*/0/config.json"))) >= 2)
    assert len(working_on(tmp_path)) >= 3
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -how) and err == ""
    assert ("stopped; go on with" in out) is (how == signal.SIGINT)
    wait_until(lambda: not working_on(tmp_path), seconds=10)


@pytest.mark.long
def test_an_ablation_killed_again_and_again_ends_like_one_never_killed(start, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).communicate()[1] == ""
    rng, finished, kills = random.Random(0), {}, 0
    for kills in range(1, 200):
        process = start(killed)
        try:
            process.wait(rng.uniform(0.5, 1 + kills / 4))
        except subprocess.TimeoutExpired:
            process.kill()
        assert process.communicate()[1] == ""
        for path, changed in finished.items():
            assert path.stat().st_mtime_ns == changed
        finished = {path: path.stat().st_mtime_ns for path in killed.glob("*/0/result.json")}
        if process.returncode == 0:
            break
    assert kills > 3 and len(finished) == 3
    assert exact(killed) == exact(whole)
