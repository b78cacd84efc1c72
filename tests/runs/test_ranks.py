"""Two ranks begin, train and resume one run: rank 0 alone changes files, all end alike."""

import os
import threading
from pathlib import Path

import pytest

from npformer import runs
from npformer.runs import api, training_run
from npformer.runs.lock import Lock
from npformer.training import Communicator
from tests.training.test_distributed import run_in_ranks

CHANGES = [(os, "replace"), (Path, "unlink"), (Path, "mkdir"), (Lock, "of")]


@pytest.fixture
def this_thread(monkeypatch):
    """Where each thread, which is a rank, puts its communicator."""
    own = threading.local()
    for module in (api, training_run):
        monkeypatch.setattr(module, "get_communicator", lambda: own.communicator)
    return own


@pytest.fixture
def changed_by(monkeypatch, this_thread):
    """The ranks that changed a file or folder, for each function that does."""
    ranks = {name: set() for _, name in CHANGES}

    def note(place, name):
        usual = getattr(place, name)

        def change(*given, **how):
            ranks[name].add(this_thread.communicator.rank)
            return usual(*given, **how)

        monkeypatch.setattr(place, name, change)

    for place, name in CHANGES:
        note(place, name)
    return ranks


def test_rank_0_alone_changes_files(
    text_files, sizes, tmp_path, monkeypatch, this_thread, changed_by
):
    monkeypatch.chdir(tmp_path)
    settings = dict(zip(("src", "tgt"), text_files, strict=True), **sizes, dropout=0.1)
    settings["epochs"] = 1

    def train(communicator, **workers):
        this_thread.communicator = communicator
        run = runs.begin(**settings, **workers)
        list(run.updates())
        resumed = runs.resume(run.folder.path, epochs=2)
        list(resumed.updates())
        weights = [array.tobytes() for array in resumed.model.state_dict().values()]
        return resumed.folder.path, weights, resumed.log.held_out_losses()

    found = run_in_ranks(2, train)
    assert changed_by == {name: {0} for name in changed_by}
    path, weights, losses = train(Communicator(), workers=2)
    assert path == Path("runs", "run-2")
    assert found == [(Path("runs", "run"), weights, losses)] * 2
