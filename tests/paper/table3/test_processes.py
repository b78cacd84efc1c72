"""Runs in processes of their own: each once, again after a stop, and one that fails stops no other."""

import math

import pytest

from npformer import InputError, runs
from npformer.paper.table3 import train_all
from npformer.paper.table3.pool import train_one
from npformer.runs.folder import RunFolder
from npformer.utils import read_json


def result(run):
    return {**read_json(run.result_path), "seconds": None}


def test_a_run_that_was_stopped_continues_and_has_the_result_of_one_that_was_not(plan, fewer_phrases):
    [base] = plan.runs("", seeds=1)
    stopped = base._replace(folder=plan.folder / "stopped")
    train_one(base)
    for update in runs.begin(folder=stopped.folder, **stopped.settings).updates():
        if update.step == 3:
            break
    train_one(stopped)
    found, folder = result(base), RunFolder(base.folder)
    assert result(stopped) == found and found["perplexity"] > 1
    scores = runs.resume(folder.path).evaluate()
    assert found["parameters"] == sum(p.data.size for p in folder.load_model().parameters())
    assert (found["perplexity"], found["bleu"]) == (math.exp(scores.loss), scores.text.bleu)
    before = folder.weights_path.read_bytes()
    train_one(base)  # a finished run is only scored again
    assert folder.weights_path.read_bytes() == before and result(base) == found


@pytest.mark.long
def test_each_run_is_trained_once_and_one_that_fails_stops_no_other(plan):
    chosen = plan.runs("E", seeds=1)
    (plan.folder / "E-positions-learned").touch()  # in the place of its folder
    ended = {run.folder: error for run, error in train_all(chosen, jobs=2)}
    failed = f"cannot make the folder {chosen[1].folder}: Not a directory"
    assert ended == {chosen[0].folder: None, chosen[1].folder: failed}
    assert result(chosen[0])["parameters"] > 1000 and RunFolder(chosen[0].folder).training().workers == 1
    (plan.folder / "E-positions-learned").unlink()
    assert [run for run, _ in train_all(chosen[:1])] == []


def test_a_folder_with_another_run_finished_or_not_is_refused_before_any_is_trained(plan):
    chosen = plan.runs("E", seeds=1)
    runs.begin(folder=chosen[1].folder, **{**chosen[1].settings, "epochs": 7})
    for finished in (False, True):
        if finished:
            chosen[1].result_path.touch()
        with pytest.raises(InputError, match="was trained with epochs = 7, and the plan has 2"):
            next(train_all(chosen))
    assert not chosen[0].folder.exists()
