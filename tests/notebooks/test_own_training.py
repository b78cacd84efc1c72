"""Notebook 17: a training runs what the learner has kept, and npformer's for the rest."""

import pytest

from helpers import own_training
from npformer import datasets
from npformer_course import course

SIZES = {"d_model": 8, "d_ff": 8, "n_heads": 2, "batch_tokens": 4096}


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder that notebooks keep functions in. npformer's layers are whole afterwards."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "my-transformer"
    folder.mkdir()
    yield folder
    own_training._in_use.close()


def path_of(folder, id):
    return folder / f"{course.stem(id)}.py"


@pytest.fixture(autouse=True)
def fewer_rows(replace_examples):
    """Let the data set of reversed digits have a hundred rows, and twenty held out."""
    train, held_out = datasets.get("reverse").load("train", "held_out")
    replace_examples("reverse", train[:100], held_out[:20])


def first_loss():
    run = own_training.new_run("reverse", **SIZES)
    return next(run.updates()).loss


def test_parts_are_what_is_kept_and_a_training_runs(kept):
    for id in ("adam", "heads", "softmax", "bleu"):  # the last two are no parts of a training
        path_of(kept, id).write_text(course.load(id).key)
    assert list(own_training.own_parts()) == ["heads", "adam"]


def test_missing_function_of_an_exercise_is_npformers(kept):
    path_of(kept, "heads").write_text("def merge_heads(x):\n    return 'mine'\n")
    heads = own_training.own_parts()["heads"]
    assert heads.merge_heads(0) == "mine"
    assert heads.split_heads.__module__ == "<npformer>"


def test_training_runs_what_is_kept_until_it_is_read_again(kept, capsys):
    expected = first_loss()
    path = path_of(kept, "warmup")
    path.write_text(course.load("warmup").key)
    wrong = path_of(kept, "positions")
    wrong.write_text(
        course.load("positions").key + "\n\ndef add_positions(x, table, start):\n    return x\n"
    )
    own_training.use_own_parts()
    assert capsys.readouterr().out.startswith("Yours: positions, warmup.\n")
    assert first_loss() != expected

    wrong.unlink()
    own_training.use_own_parts()
    assert first_loss() == expected


def test_tokens_are_counted_with_the_end_of_every_row():
    run = own_training.new_run("reverse", **SIZES)
    n_digits = sum(len(pair.target.split()) for pair in run.held_out)
    counts = own_training.token_counts(run)
    assert counts.sum() == n_digits + len(run.held_out)
    assert counts.tolist()[:4] == [0, 0, 0, len(run.held_out)]
