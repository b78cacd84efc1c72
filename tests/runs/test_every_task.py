"""Runs of every task from Python: the same loop, files and promises, whatever is learned."""

from itertools import islice

import numpy as np
import pytest

from npformer import InputError, runs
from npformer.cli.train import example
from npformer.tasks import TASKS, evaluate

LINES = [
    f"the {noun} {verb}."
    for noun in ("dog", "cat", "boy", "fox")
    for verb in ("sleeps", "sings", "runs")
]
COLUMNS = ("n_encoder_layers", "n_decoder_layers")
FOREIGN = {
    "translation": [],
    "classification": ["src", "tgt", "n_decoder_layers"],
    "language_model": ["src", "tgt", "n_encoder_layers"],
}


@pytest.fixture
def begin_task(begin, tmp_path):
    """Begin a small run of a task in a folder of this name."""

    def begin_run(task, name="run", **settings):
        (tmp_path / "train.tsv").write_text(
            "".join(f"{line.split()[1]}\t{line}\n" for line in LINES * 3)
        )
        (tmp_path / "text.txt").write_text("\n".join(LINES * 3))
        own = {
            "classification": {"tsv": tmp_path / "train.tsv"},
            "language_model": {"text": tmp_path / "text.txt"},
        }
        return begin(
            name, without=FOREIGN[task], **own.get(task, {}), **{"max_len": 16, **settings}
        )

    return begin_run


each_task = pytest.mark.parametrize("task", TASKS)


def without_seconds(log):
    return [{**row, "seconds": None} for row in log.rows]


@each_task
@pytest.mark.parametrize("settings", [{}, {"workers": 2, "accumulate": 2, "average": 2}], ids=str)
def test_resumed_run_equals_uninterrupted_run_bit_for_bit(begin_task, task, settings):
    stopped, whole = (
        begin_task(task, name, epochs=3, dropout=0.1, **settings) for name in ("stopped", "whole")
    )
    list(whole.updates())
    in_an_epoch = len(whole.log.rows) // 2
    assert not whole.log.rows[in_an_epoch - 1].get("held_out_loss")
    list(islice(stopped.updates(), in_an_epoch))
    stopped.save()
    resumed = runs.resume(stopped.folder.path)
    list(resumed.updates())
    assert without_seconds(resumed.log) == without_seconds(whole.log)
    for file in ("weights.safetensors", "checkpoint.safetensors"):
        assert (resumed.folder.path / file).read_bytes() == (whole.folder.path / file).read_bytes()


@each_task
def test_loaded_model_equals_trained_model(begin_task, task):
    run = begin_task(task, epochs=1)
    list(run.updates())
    learnt, loaded = run.predictor(), runs.load(run.folder.path)
    assert type(loaded) is type(learnt) is TASKS[task].predictor
    for name, array in learnt.model.state_dict().items():
        np.testing.assert_array_equal(loaded.model.state_dict()[name], array)
    assert run.evaluate().table() == evaluate(loaded, run.held_out).table()
    assert len(example(run)) > 3


@each_task
def test_model_cannot_be_loaded_as_another_task(begin_task, task):
    run = begin_task(task)
    run.save()
    for other in TASKS.keys() - {task}:
        with pytest.raises(
            InputError, match=f"holds a model of the task {task}: expected one of {other}"
        ):
            run.folder.load(other)


def test_curves_of_a_language_model_are_plotted(begin_task):
    run = begin_task("language_model", epochs=1)
    list(run.updates())
    run.plot_curves()
    assert run.folder.curve_path.stat().st_size > 1000


def test_text_is_read_with_line_ends(begin_task):
    run = begin_task("language_model", tokenizer="character")
    assert run.vocabularies["text"].running and "\n" in run.vocabularies["text"].tokens
    assert run.left_out == 0
    assert run.trainer.batches.length == run.held_out_batches.length == 16
    assert (run.trainer.batches.shuffle, run.held_out_batches.shuffle) == (True, False)
    assert (run.trainer.batches.batch_tokens, run.trainer.batches.seed) == (64, 0)


@each_task
def test_held_out_loss_equals_loss_of_evaluate(begin_task, task):
    run = begin_task(task, epochs=1)
    list(run.updates())
    assert run.evaluate().loss == evaluate(run.predictor(), run.held_out).loss
    assert run.evaluate().loss == pytest.approx(run.log.held_out_losses()[-1], rel=1e-5)
