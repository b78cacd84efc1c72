"""The command line on several MPI ranks: rank 0 prints, and an error on any of them ends all."""

import os
import sys

from ..training.distributed import get_communicator
from ..utils import InputError

SHARED_VERBS = ("train",)


def join_ranks(verb: str) -> None:
    """Join the other ranks where a launcher of MPI started several; all except rank 0 print nothing from here on.

    Raises `InputError` when they cannot be joined, or cannot share the work of this verb.
    """
    communicator = get_communicator()
    if communicator.rank > 0:
        sys.stdout = open(os.devnull, "w")
    if communicator.size > 1 and verb not in SHARED_VERBS:
        shared = ", ".join(SHARED_VERBS)
        raise InputError(f"npformer {verb} was started {communicator.size} times: only {shared} runs under mpiexec")


def abort_ranks(status: int, message: str = "") -> None:
    """End all ranks where there are several."""
    try:
        communicator = get_communicator()
    except InputError:  # they were never joined
        return
    if communicator.size > 1:
        communicator.abort(status, message)
