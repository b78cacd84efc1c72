"""A team of processes."""

import os
import signal
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ...base import InputError
from ...base.memory import give_back_freed_memory
from ...base.shared_memory import fork_sharing, shared
from .child import TOLD_TO_END, Answer, serve


class Processes:
    """The process that trains and n - 1 forked from it; they share the arrays of all that have joined, nothing else.

    Children are forked when they are first needed, and anew after `renew()` or an error. A message down a pipe says
    which method is to work on which items; what the methods use beside shared arrays is as it was at the fork, so what
    changes from call to call has to be among the items. A function that is not known is worked with here alone.

    A fork in a process with several threads, about which Python 3.12 warns, can leave locks locked for ever that other
    threads held. Here that is sound, for a child runs nothing but Python and NumPy: Python, malloc and OpenBLAS see to
    their own locks at a fork, and a child touches no others, no terminal, no file and no network. It ends by os._exit,
    without what a library, such as MPI's, does at exit, or by the end of this process, however that ends. Ctrl-C comes
    to all processes of a terminal: a child ignores it, and waits for what this one does.

    Raises `InputError` when no process can be forked, or an item cannot be sent; what a child raises is raised here;
    ChildProcessError when one was killed.
    """

    def __init__(self, n: int):
        self.n = n
        self.methods: list[weakref.WeakMethod] = []
        self.children: list[Child] = []
        self.home = os.getpid()
        give_back_freed_memory()  # before as much again is taken to move to
        weakref.finalize(self, end, self.children, self.home)

    def join(self, *methods: Callable) -> None:
        """Have these methods known, and move their owners' arrays to where all see them."""
        self.methods += map(weakref.WeakMethod, methods)
        self.renew()

    def renew(self) -> None:
        """Fork anew before anything else is done, and move what is not yet where all see it."""
        end(self.children, self.home)
        for method in filter(None, [method() for method in self.methods]):  # some owner may be gone
            method.__self__.move_to(self.visible)
        give_back_freed_memory()

    def visible(self, array: np.ndarray) -> np.ndarray:
        """Return a copy that all see, or the array if all see it."""
        return shared(array)

    def each(self, work: Callable, items: Sequence[tuple]) -> list:
        """Return work(*item) of each item, worked out side by side: every worker takes each n-th of them."""
        if os.getpid() != self.home:
            raise InputError("this Trainer's workers belong to another process: make one in the process that trains")
        methods = [method() for method in self.methods]
        if work not in methods:
            return [work(*item) for item in items]
        parts = [items[i :: self.n] for i in range(self.n)]
        try:
            while len(self.children) < self.n - 1:
                self.children.append(self.forked(methods))
            busy = [(child, part) for child, part in zip(self.children, parts[1:], strict=True) if part]
            for child, part in busy:
                child.tell(methods.index(work), part)
            found = [[work(*item) for item in parts[0]]] + [child.found() for child, _ in busy]
        except BaseException:
            self.renew()  # a child may still be at work, or have an answer that nobody waits for
            raise
        return [found[i % self.n][i // self.n] for i in range(len(items))]

    def forked(self, methods: list[Callable]) -> "Child":
        """Fork a child. A signal that comes meanwhile is this process's alone."""
        from multiprocessing import Pipe

        ours, theirs = Pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, TOLD_TO_END)
        try:
            pid = fork_sharing()
            if pid == 0:
                serve(theirs, methods, self.home, [ours, *(child.pipe for child in self.children)], before)
        except OSError as error:
            mend = "train with workers = 1, or ask the Trainer for processes=False"
            raise InputError(f"no {self.n - 1} more processes can be had here ({error}): {mend}") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        return Child(f"worker {len(self.children) + 2} of {self.n} (process {pid})", pid, ours)


class Child(NamedTuple):
    """A forked process, as its parent sees it."""

    name: str
    pid: int
    pipe: object

    def tell(self, method: int, items: list[tuple]) -> None:
        """Say what is to be done."""
        try:
            self.pipe.send((method, items))
        except OSError:  # it is dead, of which found() tells
            pass
        except Exception as error:  # pickle has errors of many kinds
            mend = "define what batches are made of at the top of a file, or ask the Trainer for processes=False"
            raise InputError(f"a batch cannot be sent to {self.name} ({error}): {mend}") from None

    def found(self) -> list:
        """Wait for what was found, and return it."""
        try:
            answer = Answer(*self.pipe.recv())
        except (EOFError, OSError):
            raise ChildProcessError(self.obituary()) from None
        return answer.result()

    def obituary(self) -> str:
        """Say how it came to its end."""
        how = "ended"
        with suppress(ChildProcessError):
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        return f"{self.name} {how}: memory may have run out. Ask for smaller batches, or fewer workers"

    def end(self) -> None:
        """End it, whatever it is doing."""
        self.pipe.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def end(children: list[Child], home: int) -> None:
    """End all children, if this is the process whose they are."""
    if os.getpid() == home:
        for child in children:
            child.end()
        children.clear()
