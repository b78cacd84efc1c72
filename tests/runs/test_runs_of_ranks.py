"""A run of two ranks, here threads, leaves the files that one process with two workers leaves, and one rank writes."""

import os
import shutil
import threading
from dataclasses import fields
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError, runs
from npformer.runs.consistency import all_in_common
from npformer.runs.folder import RunFolder
from npformer.runs.settings import FILES
from npformer.training.alone import Alone
from npformer.utils import files
from npformer.utils.safetensors_io import load_tensors

TEXT = "".join(f"the {noun} {verb}.\n" for noun in ("dog", "cat", "boy", "fox") for verb in ("sleeps", "sings", "runs"))


@pytest.fixture(params=["translation", "classification", "language_model"])
def what(request, sizes, text_files, tmp_path):
    """What a run of each task is begun with."""
    (tmp_path / "text.txt").write_text(TEXT * 4)
    lines = [f"{line.split()[1]}\t{line}\n" for line in TEXT.splitlines() if "dog" in line or "cat" in line]
    (tmp_path / "train.tsv").write_text("".join(lines * 8))
    kinds = {
        "translation": ((), dict(zip(("src", "tgt"), text_files, strict=True))),
        "classification": (("n_decoder_layers",), {"train": tmp_path / "train.tsv"}),
        "language_model": (("n_encoder_layers",), {"text": tmp_path / "text.txt"}),
    }
    without, files = kinds[request.param]
    own = {name: size for name, size in sizes.items() if name not in without}
    return {**own, "dropout": 0.3, "average": 2, "max_len": 16, "clip_norm": 1.0, **files}


def whole(folder, **settings):
    run = runs.begin(folder=folder, **settings)
    list(run.updates())
    return run, run.evaluate()


def left_by(folder):
    """What a run left but the number of workers and ranks, and the seconds."""
    found = RunFolder(folder)
    tensors, note = load_tensors(found.checkpoint_path)
    weights = {name: array.tobytes() for name, array in load_tensors(found.weights_path)[0].items()}
    rows = [row.split(",")[:5] + row.split(",")[6:] for row in found.log_path.read_text().splitlines()]
    names = sorted(path.name for path in folder.rglob("*"))
    return {k: v.tobytes() for k, v in tensors.items()}, note["random_states"], weights, rows, names


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell which cores we may use")
@pytest.mark.parametrize(("workers", "usable", "n", "told"), [(2, 3, 2, "1 core"), (3, 4, 2, "2 cores"), (2, 4, 2, "")])
def test_more_than_a_worker_a_core_is_questioned_in_each_rank(
    as_ranks, sizes, text_files, tmp_path, monkeypatch, workers, usable, n, told
):
    """Alone four a core are let be."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {*range(usable)})
    given = {**sizes, **dict(zip(("src", "tgt"), text_files, strict=True)), "workers": workers}
    assert runs.begin(folder=tmp_path / "alone", **given).warnings == []
    expected = f"workers = {workers} are many for {told} in each of {n} ranks: one a core is what helps"
    found = as_ranks(n, lambda: runs.begin(folder=tmp_path / "ranks", **given).warnings)
    assert found == [[expected] if told else []] * n


def test_two_ranks_leave_what_two_workers_leave(as_ranks, what, tmp_path, monkeypatch):
    _, expected = whole(tmp_path / "workers", workers=2, **what)
    written, usual = set(), files.write_atomic
    for module in ("tensors", "files"):
        watched = lambda *given: written.add(threading.current_thread()) or usual(*given)  # noqa: E731
        monkeypatch.setattr(f"npformer.base.{module}.write_atomic", watched)
    first, second = as_ranks(2, lambda: whole(tmp_path / "ranks", **what))
    assert len(written) == 1
    assert left_by(tmp_path / "ranks") == left_by(tmp_path / "workers")
    assert first[0].ranks.first and not second[0].ranks.first
    assert first[1].loss == second[1].loss == pytest.approx(expected.loss, rel=1e-6)
    one, other = as_ranks(2, lambda: runs.resume(tmp_path / "ranks").learnt().model.state_dict())
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_ranks_share_the_held_out_examples_of_each_epoch_and_at_the_end(as_ranks, what, tmp_path, monkeypatch):
    shared, usual = [], Alone.shared
    monkeypatch.setattr(Alone, "shared", lambda ranks, *given: shared.append(ranks.n) or usual(ranks, *given))

    def run():
        run = runs.begin(folder=tmp_path / "run", **what)
        list(run.updates())
        run.evaluate()

    as_ranks(2, run)
    assert set(shared) == {2} and len(shared) >= 2 * (what["epochs"] + 1)


def test_a_run_of_ranks_is_taken_up_bit_for_bit(as_ranks, what, tmp_path):
    def stopped():
        run = runs.begin(folder=tmp_path / "stopped", **what)
        list(islice(run.updates(), 2))
        run.save()

    def resumed():
        run = runs.resume(tmp_path / "stopped")
        assert not any("rank" in warning for warning in run.warnings)
        list(run.updates())

    as_ranks(2, lambda: whole(tmp_path / "unbroken", **what))
    as_ranks(2, stopped)
    as_ranks(2, resumed)
    assert left_by(tmp_path / "stopped") == left_by(tmp_path / "unbroken")


@pytest.mark.parametrize(("saved_by", "n"), [(2, 3), (2, 1), (1, 2)])
def test_another_number_of_ranks_says_what_changes_and_goes_on(as_ranks, begin, tmp_path, saved_by, n):
    as_ranks(saved_by, lambda: list(islice(begin(epochs=1).updates(), 100)))

    def resumed():
        run = runs.resume(tmp_path / "run", epochs=2)
        list(run.updates())
        return run.warnings[-1], run.trainer.epoch

    count = f"the checkpoint is of {saved_by} rank{'s' * (saved_by > 1)}, and this is {n}: dropout draws from other"
    for warning, epoch in as_ranks(n, resumed):
        assert warning.startswith(count) and epoch == 3


def test_a_default_folder_is_chosen_once(as_ranks, sizes, text_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (src, tgt), found = text_files, []
    for _ in range(2):
        found += as_ranks(2, lambda: runs.begin(src=src, tgt=tgt, **sizes).folder.path.name)
    assert found[0] == found[1] and found[2] == found[3] == f"{found[0]}-2"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted({*found})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 1}, "has seed = 1, and rank 0 has 0"),
        ({"dropout": 0.5}, "has dropout = 0.5, and rank 0 has 0.1"),
        ("train", "checksum of the training data"),
        ("held_out", "checksum of the held-out data"),
        ("weights", "checksum of the weights"),
    ],
)
def test_a_rank_that_differs_is_found_at_the_start_and_nothing_is_written(
    as_ranks, begin, text_files, tmp_path, monkeypatch, change, told
):
    from npformer.runs import api as start
    from npformer.runs import consistency as common

    usual, turn = start.examples, iter(range(2))

    def others(data, training):
        train, held_out = usual(data, training)
        if next(turn) == 1:  # the second rank to read
            {"train": train, "held_out": held_out}[change].pop()
        return [train, held_out]

    if change in ("train", "held_out"):
        monkeypatch.setattr(start, "examples", others)
    order = iter(range(2))

    def run():
        rank = start.world().rank
        given = change if rank and isinstance(change, dict) else {}
        if rank and change == "weights":
            found = common.weights_in_common

            def raised(trainer):
                return {name: value + trainer.ranks.rank for name, value in found(trainer).items()}

            monkeypatch.setattr(common, "weights_in_common", raised)
        next(order)
        begin(**{"valid_src": text_files[0], "valid_tgt": text_files[1], **given})

    for error in as_ranks(2, run, well=False):
        assert isinstance(error, InputError)
        assert "rank 1 of 2" in str(error) and told in str(error)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("max_len", [16, 2])
def test_ranks_without_a_name_get_one_folder_between_them_or_none(
    as_ranks, sizes, text_files, tmp_path, monkeypatch, max_len
):
    monkeypatch.chdir(tmp_path)
    given = {**dict(zip(("src", "tgt"), text_files, strict=True)), **sizes, "max_len": max_len}
    found = as_ranks(2, lambda: runs.begin(**given), well=max_len > 2)
    assert [path.as_posix() for path in Path(".").glob("runs*/*")] == ["runs/run"][: max_len > 2]
    if max_len > 2:
        assert [run.folder.path.as_posix() for run in found] == ["runs/run"] * 2


@pytest.mark.parametrize("what", ["classification", "language_model"], indirect=True)
def test_a_setting_that_has_the_name_of_one_of_the_models_is_compared_too(as_ranks, tmp_path, what):
    order = iter(range(2))

    def run():
        runs.begin(folder=tmp_path / "run", **{**what, "vocab_size": 8000 + next(order)})

    for error in as_ranks(2, run, well=False):
        assert isinstance(error, InputError) and "vocab_size = 800" in str(error)


def test_ranks_may_have_the_same_files_in_other_places(as_ranks, begin, text_files, tiny_recipe, tmp_path):
    order = iter(range(2))

    def run():
        place = next(order)
        copies = [tmp_path / f"{place}.{side}" for side in ("en", "de")]
        for copy, file in zip(copies, text_files, strict=True):
            copy.write_bytes(file.read_bytes())
        recipe = shutil.copy(tiny_recipe, tmp_path / f"{place}.json")
        begin(src=copies[0], tgt=copies[1], recipe=recipe)

    as_ranks(2, run)


def test_ranks_at_other_updates_are_found(as_ranks, begin):
    def run():
        run = begin()
        run.trainer.batch += run.ranks.rank
        run.check_ranks()

    for error in as_ranks(2, run, well=False):
        assert isinstance(error, InputError) and "rank 1 of 2" in str(error) and "has batch = 1" in str(error)


def test_a_rank_that_differs_is_found_when_a_run_is_taken_up(as_ranks, begin, tmp_path):
    as_ranks(2, begin)
    before, order = RunFolder(tmp_path / "run").training(), iter([2, 9])

    def run():
        runs.resume(tmp_path / "run", epochs=next(order))

    for error in as_ranks(2, run, well=False):
        assert isinstance(error, InputError) and "rank 1 of 2" in str(error) and "epochs = " in str(error)
    assert RunFolder(tmp_path / "run").training() == before


def test_every_setting_that_decides_what_is_trained_is_compared(begin):
    run = begin()
    compared = all_in_common(run.settings, run.config, run.trainer, run.validation)
    names = {field.name for kind in (run.settings, run.config) for field in fields(kind)}
    assert names - compared.keys() == {*FILES, "recipe"}


@pytest.mark.parametrize("entry", [0, -1])
def test_weights_that_have_drifted_apart_are_not_saved(as_ranks, begin, entry):
    def run():
        run = begin()
        updates = run.updates()
        next(updates)
        run.trainer.optimizer.flat.data[entry] += run.ranks.rank
        run.save()

    for error in as_ranks(2, run, well=False):
        assert isinstance(error, InputError) and "checksum of the weights" in str(error)


def test_one_rank_begins_and_another_resumes(as_ranks, begin, tmp_path):
    begin_alone = iter(range(2))

    def run():
        from npformer.runs.api import world

        next(begin_alone)
        return begin("other") if world().first else runs.resume(tmp_path / "run")

    for error in as_ranks(2, run, well=False):
        assert "has start = resume, and rank 0 has begin" in str(error)
