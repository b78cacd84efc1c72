"""The last words of a rank: heard before the launcher ends all, and said for it where it is killed."""

import os
import signal
import stat
import sys
import threading
import time
from contextlib import suppress

from .ending import ASKED_TO_END


def go_on_in_a_child(name: str) -> None:
    """Return in a child process alone. This one waits for it, says so when it is killed, and ends as it does.

    So the line is written before anybody can know of the end: MPICH's mpiexec kills at once all that the ranks started
    when a process ends that it started itself. Of several processes that are killed together none says anything.

    Threads do not live on in a child, nor does MPI: where either is there, or no process can be added, this one goes on
    by itself.
    """
    if threading.active_count() > 1 or "mpi4py.MPI" in sys.modules:
        return
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED_TO_END)
    usual = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored nothing is known of a child's end
    try:
        child = os.fork()
    except OSError:
        child = 0
    if not child:
        signal.signal(signal.SIGCHLD, usual or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status >= 0:
        os._exit(status)
    number = -status
    if number not in ASKED_TO_END:
        how = f"was killed by {signal.Signals(number).name}, and all ranks end; memory may have run out"
        with suppress(OSError):
            os.write(2, f"npformer: {name} (process {child}) {how}\n".encode())
    end_by(number)


def end_by(number: int) -> None:
    """End this process by a signal."""
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)


def until_read(handle: int, patience: float = 1.0) -> None:
    """Wait, not longer than `patience` seconds, until what was written to a pipe has been read at its other end."""
    with suppress(ImportError, OSError):  # there are other systems, and streams that are closed
        from fcntl import ioctl
        from termios import FIONREAD

        end = time.monotonic() + patience
        is_pipe = stat.S_ISFIFO(os.fstat(handle).st_mode)
        while is_pipe and any(ioctl(handle, FIONREAD, bytes(4))) and time.monotonic() < end:
            time.sleep(0.001)
