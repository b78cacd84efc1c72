"""A forked worker, as its parent sees it."""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass

from ..base import InputError
from .child import Answer


@dataclass
class Child:
    """A forked worker: its name, its process, and the pipe to it."""

    name: str
    pid: int
    pipe: object
    waited_for: bool = False  # then its number may be another process's

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
        how, self.waited_for = "ended", True
        with suppress(ChildProcessError):
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            how = f"was killed by {name_of_signal(-code)}" if code < 0 else f"ended with status {code}"
        return f"{self.name} {how}: memory may have run out. Ask for smaller batches, or fewer workers"

    def end(self) -> None:
        """End it, whatever it is doing."""
        self.pipe.close()
        if not self.waited_for:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)


def name_of_signal(number: int) -> str:
    """Return the name of a signal, or its number where it has none.

    >>> name_of_signal(9), name_of_signal(40)
    ('SIGKILL', 'signal 40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end(children: list[Child], home: int) -> None:
    """End all children, if this is the process whose they are."""
    if os.getpid() == home:
        for child in children:
            child.end()
        children.clear()
