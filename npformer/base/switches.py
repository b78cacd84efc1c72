"""What a layer does beside its arithmetic, and where that is switched for a while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Switches(NamedTuple):
    """What a layer does beside its arithmetic: drop out, and remember what backward needs."""

    drop_out: bool = True
    remember: bool = True


class Here(threading.local):
    """The switches of some modules, by id, that hold in this thread alone, inside a with block.

    `innermost` is the module, with all inside it, that was switched last, and how.
    """

    def __init__(self):
        self.switches: dict[int, Switches] = {}
        self.innermost: tuple[int, Switches] | None = None


HERE = Here()


@contextmanager
def switched_here(switches: dict[int, Switches], whole: tuple[int, Switches] | None = None) -> Iterator[None]:
    """Have these switches of modules, by id, in a with block, in this thread alone; `whole` if they are all of one."""
    before, innermost = HERE.switches, HERE.innermost
    HERE.switches, HERE.innermost = before | switches, whole
    try:
        yield
    finally:
        HERE.switches = before
        HERE.innermost = innermost
