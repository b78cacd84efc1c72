"""The command line as one of several ranks: the first one speaks, and an error of any of them ends all."""

import io
import sys

SHARING = ("train",)  # verbs whose work ranks share


class Silence(io.TextIOBase):
    """A stream that takes everything and keeps nothing."""

    def write(self, text: str) -> int:
        """Take a text."""
        return len(text)


def take_part(verb: str) -> None:
    """Join the other ranks, where a launcher of MPI started several; all but the first one fall silent.

    Raises `InputError` when they cannot be joined, or do not share this verb's work.
    """
    from ..base import InputError, launched, world

    place = launched()
    if place is None:
        return
    rank, n = place
    if rank > 0:
        sys.stdout = sys.stderr = Silence()
    if verb not in SHARING:
        raise InputError(f"npformer {verb} was started {n} times: only {', '.join(SHARING)} runs under mpiexec")
    world()


def end_all(status: int, message: str = "") -> None:
    """End all ranks where there are several; return where there is one, or the others have not been joined."""
    launcher = sys.modules.get("npformer.base.launcher")
    if launcher is not None and launcher.launched() and launcher.joined.cache_info().currsize:
        launcher.world().end_all(status, message)
