"""What a training says at its beginning, on its way and at the end of each epoch."""

import math
import re
import threading
import warnings
from dataclasses import replace
from types import SimpleNamespace

import pytest

from npformer import runs
from npformer.cli.standard_streams import shell_command
from npformer.cli.train import _finish, describe, example, progress_bar, show
from npformer.datasets import SentencePair
from npformer.runs.training_run import Run
from tests.small_models import SIZES


@pytest.fixture
def begin(tmp_path):
    """Begin a run of three epochs, eight or so updates each, on more words than their translations
    have.
    """
    (tmp_path / "src").write_text("".join(f"a{i} b{i % 7}{' c' * (i % 3)}\n" for i in range(40)))
    (tmp_path / "tgt").write_text("".join(f"c{i % 3} d\n" for i in range(40)))
    files = {"src": tmp_path / "src", "tgt": tmp_path / "tgt"}
    how = dict(
        tie_embeddings="none", min_count=1, batch_tokens=16, warmup_steps=5, epochs=3, workers=1
    )
    return lambda **more: runs.begin(folder=tmp_path / "run", **files, **SIZES, **how, **more)


@pytest.fixture
def run(begin):
    return begin()


def test_description_has_what_is_trained_on_what(run):
    run.config = replace(run.config, n_encoder_layers=3)
    data, tokens, model, folder = describe(run).splitlines()
    n_held_out = len(run.held_out)
    assert data == f"data    {40 - n_held_out} sentence pairs; {n_held_out} held out"
    source, target = run.vocabularies.values()
    sizes = f"{len(source)} source and {len(target)} target"
    assert tokens.startswith(f"tokens  {sizes}, tokenizer word; ")
    widths = "d_model 16, d_ff 24, 2 heads"
    assert model == f"model   3+1 layers, {widths}, {run.model.n_parameters:,} parameters"
    assert folder == f"folder  {run.folder.path}"


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
    run.settings = replace(run.settings, patience=9)
    assert describe(run).endswith(": give more --epochs or a longer --patience to train on")
    assert "\ndone" not in describe(runs.resume(run.folder.path, epochs=4))


@pytest.mark.parametrize("accumulate", [1, 3])
def test_progress_bar_of_resumed_run_starts_at_saved_update(begin, accumulate):
    run = begin(accumulate=accumulate)
    steps = run.updates()
    in_all = 3 * math.ceil(len(run.trainer.batches.epoch(1)) / accumulate)
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


def test_text_to_try_is_the_longest_of_ten_that_fit(run):
    run.config = replace(run.config, max_len=4, source_special_tokens="both")
    # the first is too long with <bos> and <eos>
    sources = ["a1 b1 c", *9 * ["b1"], "a1 b1", "a10 b1"]
    run.held_out = [SentencePair(source, "d") for source in sources]
    assert example(run) == "a1 b1"


def test_language_model_is_described_and_its_text_to_try_fits_into_it(tmp_path):
    (tmp_path / "text").write_text("abc " * 300)
    (tmp_path / "held_out").write_text("\n \nabc abc abc\n")
    files = {"text": tmp_path / "text", "held_out": tmp_path / "held_out"}
    sizes = {name: size for name, size in SIZES.items() if name != "n_encoder_layers"}
    how = {"tokenizer": "character", "max_len": 9, "epochs": 1}
    run = runs.begin(folder=tmp_path / "run", **files, **sizes, **how)
    assert example(run) == "abc abc a"
    list(run.updates())
    data, _, model, _, done = describe(run).splitlines()
    assert data == "data    1,200 tokens of text; 15 held out"
    assert model.startswith("model   1 layer, d_model 16, ")
    assert done == "done    after 1 epoch: give more --epochs to train on"


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


@pytest.mark.parametrize(("text", "said"), [("a b", ["a b"]), ("-a b", ["--", "-a b"])])
def test_end_of_a_training_has_examples_scores_and_a_command(run, capsys, monkeypatch, text, said):
    scores = SimpleNamespace(examples=lambda n: f"{n} examples", table=lambda: "a table")
    monkeypatch.setattr(Run, "evaluate", lambda run: scores)
    monkeypatch.setattr(Run, "plot_curves", lambda run: warnings.warn("odd", stacklevel=1))
    monkeypatch.setattr("npformer.cli.train.example", lambda run: text)
    _finish(run)
    command = shell_command(["npformer", "translate", str(run.folder.path), *said])
    out = f"\n10 examples\n\na table\n\ntranslate with  {command}\n"
    assert capsys.readouterr() == (out, "npformer: odd\n")
    # rank 0 says it for all
    run.communicator = SimpleNamespace(rank=1)
    _finish(run)
    assert capsys.readouterr() == ("", "")


def test_line_of_an_epoch_is_shown_at_once(run, watch_output):
    update = replace(next(run.updates()), ends_epoch=True, held_out_loss=1.0)
    all_is_shown = watch_output()
    with progress_bar(run) as bar:
        show(update, run, bar)
        assert all_is_shown()


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
        before = bar.n
        show(replace(update, epoch=44, tokens_per_second=speed), run, bar)
        line = str(bar)
        assert bar.n == before + 1
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
