"""What the program does where a launcher of MPI started it several times, without MPI."""

import io
import os
import sys

import pytest

from npformer.cli import main
from npformer.training.distributed import Communicator
from npformer.utils import InputError

# not by its name, which is that of the function too
PROGRAM = sys.modules["npformer.cli.main"]


class Rank(Communicator):
    """One of two ranks, which notes how all of them were ended."""

    size = 2

    def __init__(self, rank):
        self.rank = rank
        self.ended = []

    def abort(self, status, message=""):
        self.ended.append((status, message))


@pytest.fixture
def in_rank(monkeypatch):
    """Run the program in one rank of two; return the rank, the exit status and standard output."""

    def run(number, *arguments):
        rank = Rank(number)
        before = io.StringIO()
        monkeypatch.setattr(PROGRAM, "get_communicator", lambda: rank)
        monkeypatch.setattr(sys, "stdout", before)
        status = main(list(arguments))
        after = sys.stdout
        if after is not before:
            after.close()
            assert after.name == os.devnull
        return rank, status, before.getvalue()

    return run


@pytest.mark.parametrize("number", [0, 1])
def test_other_verbs_than_train_are_refused(in_rank, number):
    rank, status, out = in_rank(number, "gradcheck", "--list")
    message = "npformer gradcheck was started 2 times: only train runs under mpiexec"
    assert (rank.ended, status, out) == ([(2, message)], 2, "")


def test_rank_0_alone_prints(in_rank):
    for number in (0, 1):
        rank, status, out = in_rank(number, "train", "--help-all")
        assert (rank.ended, status) == ([], 0)
        assert ("--d-model" in out) is (number == 0)


def test_ranks_that_cannot_be_joined_are_reported(command, refused, monkeypatch):
    def join():
        raise InputError("no MPI is here")

    monkeypatch.setattr(PROGRAM, "get_communicator", join)
    assert refused("gradcheck", "--list") == "npformer: no MPI is here\n"
    # help needs none
    assert command("gradcheck", "--help").status == 0
