"""What a run has cost is the sum over all batches of its updates, however often it was stopped."""

import json

import pytest

from npformer import runs
from npformer.paper.macs import multiplications
from npformer.utils.safetensors_io import load_tensors, save_tensors

HOW = {"words": {}, "accumulated": {"accumulate": 2, "workers": 2}}
HOW["recut"] = {"unit": "subwords", "vocab_size": 270, "subword_dropout": 0.5}


@pytest.fixture(params=HOW)
def how(request):
    if request.param == "recut":
        pytest.importorskip("tokenizers")
    return HOW[request.param]


def counted(run, epochs):
    """Lay out all batches of some epochs and count; nothing is multiplied for padding but in attention."""
    batches = [batch for epoch in epochs for batch in run.trainer.batches.epoch(epoch)]
    shapes = [(*batch.src.shape, batch.tgt_in.shape[1]) for batch in batches]
    tokens = [[int((ids != 0).sum()) for ids in batch.inputs] for batch in batches]
    return [multiplications(run.config, *sizes).total for sizes in zip(shapes, tokens, strict=True)]


def test_it_is_counted_batch_by_batch_and_once_more_after_each_stop(begin, how):
    run, whole = begin("stopped", epochs=3, **how), begin("whole", epochs=3, **how)
    assert run.cost() == 0
    list(whole.updates())
    each = counted(begin("to count", **how), [1, 2, 3])
    assert whole.cost() == sum(each) > 0
    group = how.get("accumulate", 1)
    for stop in (1, 2, 5):
        for update in run.updates():
            if update.step == stop:
                run.save()
                break
        if group == 1:  # groups end with their epoch
            assert run.cost() == sum(each[:stop])
        run = runs.resume(run.folder.path)
        if group == 1:
            assert run.cost() == sum(each[:stop])
    list(run.updates())
    assert run.cost() == sum(each) == runs.resume(run.folder.path).cost()


def test_it_goes_on_with_more_epochs(begin):
    run = begin(epochs=1)
    list(run.updates())
    more = runs.resume(run.folder.path, epochs=2)
    list(more.updates())
    assert more.cost() == sum(counted(run, [1, 2])) > run.cost() > 0


def test_an_older_run_that_did_not_count_is_counted_when_it_is_resumed(begin):
    run = begin(epochs=3)
    for update in run.updates():
        if update.epoch == 2 and not update.ends_epoch:
            run.save()
            break
    expected = run.cost()
    tensors, note = load_tensors(run.folder.checkpoint_path)
    assert note["progress"].pop("cost_of_epochs") > 0
    save_tensors(run.folder.checkpoint_path, tensors, json.loads(json.dumps(note)))
    assert runs.resume(run.folder.path).cost() == expected
