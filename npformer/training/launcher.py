"""Who started this process: nobody in particular, or a launcher of MPI, as one of several ranks."""

import os
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module

from ..backend import check_ranks
from ..utils.blas import no_more_blas_threads
from ..utils.errors import InputError, import_optional
from .alone import Alone
from .last_words import go_on_in_a_child
from .ranks import Ranks, name_of

PLACES = (  # variables that say which rank this is, and of how many
    ("PMI_RANK", "PMI_SIZE"),  # MPICH's mpiexec and those like it, and srun --mpi=pmi2
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI's
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),  # srun --mpi=pmix
)


def launched() -> tuple[int, int] | None:
    """Return this process's rank and how many there are, as its launcher says; None where it is the only one."""
    return next(filter(None, map(said, PLACES)), None)


def said(names: tuple[str, str]) -> tuple[int, int] | None:
    """Return a rank and how many there are, as two variables say; None where they do not, or there is but one."""
    with suppress(KeyError, ValueError):
        rank, n = (int(os.environ[name]) for name in names)
        if n > 1:
            return rank, n
    return None


def unjoined() -> tuple[int, int] | None:
    """Return a task's number and how many there are, where srun started several and MPI knows nothing of it.

    A batch script's own shell has a number too, but is no step of several tasks.
    """
    return None if any(rank in os.environ for rank, _ in PLACES) else said(("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))


def world() -> Alone:
    """Return the ranks of this run: `Alone()`, unless a launcher of MPI started several; only then MPI is imported.

    Raises `MissingExtraError` without mpi4py, and `InputError` when that finds no MPI, or another than the launcher's,
    on a GPU, and when a rank has another version of npformer.
    """
    place = launched()
    return Alone() if place is None else joined(*place)


@cache
def joined(rank: int, n: int) -> Ranks:
    """Become one of n ranks; see `world`. Under MPICH's mpiexec the rank is a child of the process that this was."""
    check_ranks(n)
    import_optional("mpi4py", "npformer[mpi]")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what MPI has to say of another one's launcher is an error below
            if "HYDI_CONTROL_FD" in os.environ:
                go_on_in_a_child(name_of(rank, n))
            mpi = import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        mend = "Install one:  pip install mpich  brings one along"
        raise InputError(f"mpi4py is here, but finds no MPI library ({reason}). {mend}") from None
    if mpi.COMM_WORLD.size != n:
        library = mpi.Get_library_version().split("\n")[0].rstrip("\0")[:40]
        came = f"the launcher started {n} ranks, but in mpi4py's MPI ({library}) there are {mpi.COMM_WORLD.size}"
        raise InputError(f"{came}: start it with the mpiexec that belongs to that MPI, or srun --mpi= with its kind")
    ranks = Ranks(mpi.COMM_WORLD, mpi)
    no_more_blas_threads(ranks.cores)
    ranks.check_alike(lambda: {"npformer": import_module(__package__.partition(".")[0]).__version__})
    ranks.end_all_on_errors()
    return ranks
