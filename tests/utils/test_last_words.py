"""A process that is killed is named by the one that it came from, which ends as it does."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from npformer.training.last_words import until_read

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

GO_ON = """
import os, signal, sys, threading, time
from npformer.training.last_words import go_on_in_a_child
first = os.getpid()
go_on_in_a_child("rank 1 of 3")
"""


def gone_on(code, **how):
    done = subprocess.run([sys.executable, "-c", GO_ON + code], capture_output=True, text=True, timeout=60, **how)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_child_that_is_killed_is_named(number):
    status, out, err = gone_on(f"print(os.getpid(), flush=True); os.kill(os.getpid(), {int(number)})")
    told = f"npformer: rank 1 of 3 (process {out.strip()}) was killed by {number.name}, and all ranks end"
    assert status == -number and err == f"{told}; memory may have run out\n"


@pytest.mark.parametrize(
    ("code", "status", "out"),
    [
        ("print(os.getpid() != first)", 0, "True\n"),
        ("sys.exit(7)", 7, ""),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("signal.signal(signal.SIGINT, signal.SIG_DFL); os.kill(0, signal.SIGINT); time.sleep(60)", -signal.SIGINT, ""),
        ("signal.signal(signal.SIGTERM, lambda *_: sys.exit(143)); os.kill(0, signal.SIGTERM)", 143, ""),
        ("signal.signal(signal.SIGHUP, lambda *_: sys.exit(5)); os.kill(first, signal.SIGHUP); time.sleep(1)", 0, ""),
    ],
)
def test_what_nobody_killed_ends_as_it_would_alone(code, status, out):
    assert gone_on(code, start_new_session=True) == (status, out, "")


def test_an_exception_is_told_once():
    status, out, err = gone_on("print('once'); raise TypeError('a mistake')")
    assert (status, out) == (1, "once\n") and err.count("TypeError: a mistake") == 1


def test_of_processes_that_are_killed_together_none_is_named():
    assert gone_on("os.killpg(0, signal.SIGKILL)", start_new_session=True) == (-signal.SIGKILL, "", "")


def test_a_child_is_named_where_its_end_would_be_ignored():
    ignored = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    command = [sys.executable, "-c", f"{ignored}\n{GO_ON}os.kill(os.getpid(), 9)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == -9 and "was killed by SIGKILL" in done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "sys.modules['mpi4py.MPI'] = None",
        "stop = threading.Event(); threading.Thread(target=stop.wait).start()",
    ],
)
def test_what_would_not_live_on_in_a_child_stays(before):
    code = "first = os.getpid(); go_on_in_a_child('rank 1 of 3'); print(os.getpid() == first)"
    ending = "\nif 'stop' in globals(): stop.set()"
    command = [sys.executable, "-c", f"{GO_ON.partition('first =')[0]}{before}\n{code}{ending}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_where_no_process_can_be_added_this_one_goes_on_as_it_was():
    """Under a limit of processes; signals come, and a child's end is told of as before."""
    code = """
import errno, os, signal
from npformer.training.last_words import go_on_in_a_child
def fork():
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
def state():
    return signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGCHLD)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.fork, before = fork, state()
go_on_in_a_child("rank 1 of 3")
print(state() == before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_pipe_is_waited_for_until_it_is_read():
    there, here = os.pipe()
    os.write(here, b"last words")
    reading = threading.Timer(0.2, os.read, [there, 100])
    start = time.monotonic()
    reading.start()
    until_read(here, patience=60)
    assert 0.1 < time.monotonic() - start < 30
    reading.join()
    os.write(here, b"more")
    until_read(here, patience=0.1)  # nobody reads
    for handle in (there, here):
        os.close(handle)
    until_read(here)
