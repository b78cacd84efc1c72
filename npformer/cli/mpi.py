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
    from ..training.launcher import launched, unjoined, world
    from ..utils import InputError

    place, apart = launched(), unjoined()
    if place is None and (apart is None or verb not in SHARING):
        return
    rank, n = place or apart
    if rank > 0:
        sys.stdout = sys.stderr = Silence()
    if place is None:
        came = f"srun started {n} tasks without MPI, and each would train alone"
        mend = "give it --mpi=pmi2, or --mpi=pmix with Open MPI"
        raise InputError(f"{came}: {mend}, or unset SLURM_STEP_NUM_TASKS to train {n} models")
    if verb not in SHARING:
        told = f"only {', '.join(SHARING)} runs in ranks. Start it without mpiexec"
        raise InputError(f"npformer {verb} was started {n} times: {told}")
    world()


def end_all(status: int, message: str = "") -> None:
    """End all ranks where there are several; return where there is one, or the others have not been joined."""
    launcher = sys.modules.get("npformer.training.launcher")
    if launcher is not None and launcher.launched() and launcher.joined.cache_info().currsize:
        launcher.world().end_all(status, message)
