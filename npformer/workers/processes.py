"""A team of processes."""

import os
import signal
import weakref
from collections.abc import Callable, Sequence

import numpy as np

from ..base import InputError
from ..base.ending import ASKED_TO_END
from ..base.memory import give_back_freed_memory
from ..base.shared_memory import fork_sharing, shared
from .child import serve
from .forked import Child, end
from .others import another_may_multiply
from .threads import USE_ONE, Threads
from .waiting import held_back


class Processes:
    """The process that asks and n - 1 forked from it; they share the arrays of all that have joined, nothing else.

    Children are forked when they are first needed, and anew after `renew()` or an error. A message down a pipe says
    which method is to work on which items; what the methods use beside shared arrays is as it was at the fork, so what
    changes from call to call has to be among the items. A function that is not known is worked with here alone.

    A fork in a process with several threads, about which Python 3.12 warns, can leave locks locked for ever that other
    threads held. A child shall run nothing but Python and NumPy, and touch no terminal, no file and no network; Python
    and malloc see to their own locks at a fork. OpenBLAS does not: a fork beside a thread in the middle of a product
    may hang, here or in the child. While another thread may be there (see `others.py`), and where no process can be
    forked, the work is therefore done by threads; `sure` says that no other thread ever multiplies, and asks for
    processes alone.

    A child ends by os._exit, without what a library, such as MPI's, does at exit; and however this process ends, a
    second after it or when the item that it is at is done. Ctrl-C comes to all processes of a terminal: a child ignores
    it, and waits for what this one does.

    Raises `InputError` when an item cannot be sent, and with `sure` when no process can be forked; what a child raises
    is raised here; ChildProcessError when one was killed.
    """

    def __init__(self, n: int, *, sure: bool = True):
        self.n = n
        self.sure = sure
        self.threads: Threads | None = None  # where no child may be forked
        self.refused = False  # whether the system would fork none
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
        self.refused = False
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
        if not self.complete(methods):
            self.threads = self.threads or Threads(self.n)
            return self.threads.each(work, items)
        parts = [items[i :: self.n] for i in range(self.n)]
        try:
            busy = [(child, part) for child, part in zip(self.children, parts[1:], strict=True) if part]
            for child, part in busy:
                child.tell(methods.index(work), part)
            found = [[work(*item) for item in parts[0]]] + [child.found() for child, _ in busy]
        except BaseException:
            self.renew()  # a child may still be at work, or have an answer that nobody waits for
            raise
        return [found[i % self.n][i // self.n] for i in range(len(items))]

    def complete(self, methods: list[Callable]) -> bool:
        """Fork the children that are missing; return whether all are there, and no threads have to take over."""
        if self.refused or (not self.children and not self.sure and another_may_multiply()):
            return False
        try:
            while len(self.children) < self.n - 1:
                self.fork(methods)
        except BaseException as error:
            end(self.children, self.home)
            if self.sure or not isinstance(error, InputError):
                raise
            self.refused = True
        return not self.refused

    def close(self) -> None:
        """Let the children go, and the threads."""
        end(self.children, self.home)
        if self.threads:
            self.threads.close()

    def fork(self, methods: list[Callable]) -> None:
        """Fork a child, to which nobody can say by a signal that it should end; here one is heard when it is known."""
        from multiprocessing import Pipe

        with held_back(ASKED_TO_END):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED_TO_END)  # which a child inherits
            try:
                ours, theirs = Pipe()
                pid = fork_sharing()
                if pid == 0:
                    serve(theirs, methods, self.home)
                self.children.append(Child(f"worker {len(self.children) + 2} of {self.n} (process {pid})", pid, ours))
                theirs.close()
            except OSError as error:
                known = f"no {self.n - 1} more processes can be had here ({error})"
                raise InputError(f"{known}: {USE_ONE}") from None
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
