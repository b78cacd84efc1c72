"""What a training says at its beginning, on its way and at the end of each epoch."""

import re
import threading
from dataclasses import replace

import pytest

from npformer import runs
from npformer.cli.train import describe, example, progress_bar, show
from tests.small_models import SIZES


@pytest.fixture
def run(tmp_path):
    """A run of three epochs, eight or so updates each, on more words than their translations
    have.
    """
    (tmp_path / "src").write_text("".join(f"a{i} b{i % 7}{' c' * (i % 3)}\n" for i in range(40)))
    (tmp_path / "tgt").write_text("".join(f"c{i % 3} d\n" for i in range(40)))
    files = {"src": tmp_path / "src", "tgt": tmp_path / "tgt"}
    how = dict(
        tie_embeddings="none", min_count=1, batch_tokens=16, warmup_steps=5, epochs=3, workers=1
    )
    return runs.begin(folder=tmp_path / "run", **files, **SIZES, **how)


def test_share_of_padding_is_in_percent(run):
    [found] = re.findall(r"; ([\d.]+)% padding in the batches", describe(run))
    positions = padded = 0
    for batch in run.trainer.batches:
        for ids in (batch.src, batch.tgt_out):
            positions += ids.size
            padded += (ids == 0).sum()
    assert float(found) == pytest.approx(100 * padded / positions, abs=0.06)
    assert float(found) > 0.1


def test_finished_run_suggests_more_epochs(run):
    list(run.updates())
    assert describe(run).endswith("\ndone    after 3 epochs: give more --epochs to train on")
    assert "\ndone" not in describe(runs.resume(run.folder.path, epochs=4))


def test_progress_bar_of_resumed_run_starts_at_saved_update(run):
    steps = run.updates()
    in_all = 3 * len(run.trainer.batches.epoch(1))
    assert (progress_bar(run).n, progress_bar(run).total) == (0, in_all)
    for _ in range(in_all // 2):
        next(steps)
    run.save()
    again = runs.resume(run.folder.path)
    assert (progress_bar(again).n, progress_bar(again).total) == (in_all // 2, in_all)


def test_text_to_try_is_the_data_sets_own(run, monkeypatch):
    held_out = {pair.source for pair in run.held_out}
    assert example(run) in held_out
    data = replace(run.settings.data_set(), try_with=("Two dogs run.",))
    monkeypatch.setattr(type(run.settings), "data_set", lambda settings: data)
    assert example(run) == "Two dogs run."


def test_text_to_try_of_a_language_model_fits_into_it(tmp_path):
    (tmp_path / "text").write_text("\n" + "abc " * 300)
    sizes = {name: size for name, size in SIZES.items() if name != "n_encoder_layers"}
    how = {"tokenizer": "character", "max_len": 9, "epochs": 1}
    run = runs.begin(text=tmp_path / "text", folder=tmp_path / "run", **sizes, **how)
    assert example(run) == run.held_out[0][:9]


def test_epoch_ends_with_line_of_mean_loss(run, capsys):
    for update in run.updates():
        with progress_bar(run) as bar:
            show(update, run, bar)
        if update.ends_epoch:
            break
        assert capsys.readouterr().out == ""
    line, mean = capsys.readouterr().out, run.log.training_loss(1)
    assert line.startswith(
        f"epoch   1   loss {mean:.3f}   held-out loss {update.held_out_loss:.3f}   "
    )
    assert line.count("\n") == 1 and abs(update.loss - mean) > 0.001


def test_progress_bar_starts_no_thread(run, monkeypatch):
    before = threading.active_count()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress_bar(run) as bar:
        assert not bar.disable and threading.active_count() == before


@pytest.mark.parametrize("speed", [13_518, 1_234_567])
def test_progress_bar_is_whole_at_80_columns(run, monkeypatch, speed):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    update = next(run.updates())
    with progress_bar(run) as bar:
        bar.dynamic_ncols = None
        bar.ncols = 80
        bar.total = 123_456
        show(replace(update, epoch=44, tokens_per_second=speed), run, bar)
        line = str(bar)
    assert len(line) <= 80
    assert line.startswith("epoch 44:") and line.endswith(f"{speed:,} tokens/s]")


def test_classifier_progress_shows_texts_and_accuracy(labeled_file, tmp_path, capsys):
    files = {"tsv": labeled_file, "held_out": labeled_file}
    sizes = {name: size for name, size in SIZES.items() if name != "n_decoder_layers"}
    run = runs.begin(
        folder=tmp_path / "run",
        **files,
        **sizes,
        min_count=1,
        batch_tokens=64,
        warmup_steps=5,
        epochs=1,
    )
    for update in run.updates():
        with progress_bar(run) as bar:
            show(update, run, bar)
            speed = f"{update.tokens_per_second:,.0f} texts/s"
            assert bar.postfix.endswith(f", {speed}")
    line = capsys.readouterr().out
    told = f"held-out loss {update.held_out_loss:.3f}   accuracy {100 * update.held_out_accuracy:.1f}%   {speed}   "
    assert told in line and line.count("\n") == 1
