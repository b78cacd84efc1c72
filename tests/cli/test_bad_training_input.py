"""Training on what cannot be trained on: one line, status 2, and no run folder left behind."""

import gzip
import os
import sys

import pytest


@pytest.fixture
def train_refused(refused, small, tmp_path):
    def run(*options):
        before = sorted(tmp_path.rglob("*"))
        message = refused("train", *options, *small, "--epochs", 1, "--run", tmp_path / "run")
        assert sorted(tmp_path.rglob("*")) == before
        return message

    return run


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("a\nb\n", "a\nb\nc\n", "has 2 lines and"),
        ("", "", "are empty: expected one sentence per line"),
        ("a\n", "b\n", "expected two different ones at least"),
        (b"a\nGr\xf6\xdfe\n", "a\nb\n", "is not UTF-8 at byte 4: save it as UTF-8 text"),
        ("\n\n\n", "a\nb\nc\n", "none of 2 sentence pairs can be used"),
    ],
)
def test_files_that_form_no_pairs_are_rejected(train_refused, write, src, tgt, expected):
    assert expected in train_refused("--src", write("src", src), "--tgt", write("tgt", tgt))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_pipe_is_rejected_without_waiting(train_refused, write, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "pipe is a pipe: expected a file" in train_refused(
        "--src", write("good", "a\nb\n"), "--tgt", tmp_path / "pipe"
    )


def test_missing_folder_or_corrupt_file_is_named(train_refused, write, tmp_path):
    good = write("good", "a\nb\n")
    assert "does not exist" in train_refused("--src", good, "--tgt", tmp_path / "missing")
    assert "Is a directory" in train_refused("--src", tmp_path, "--tgt", good)
    cut = write("cut.gz", gzip.compress(b"a\nb\n" * 100)[:-9])
    assert "cut.gz is not a whole gzip file" in train_refused("--src", good, "--tgt", cut)


@pytest.mark.parametrize(
    ("held_out", "expected"),
    [("a\n", "has 1 lines and"), ("\n\n", "none of 2 sentence pairs can be used")],
)
def test_held_out_files_are_checked_before_training(
    train_refused, write, text_files, held_out, expected
):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    held_out_files = [
        "--held-out-src",
        write("held_out.src", held_out),
        "--held-out-tgt",
        write("held_out.tgt", "a\nb\n"),
    ]
    assert expected in train_refused(*files, *held_out_files)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--d-model 15 --n-heads 3", "d_model = 15 is odd: sinusoids come in pairs"),
        ("--n-heads 3", "d_model = 16 is not divisible by n_heads = 3"),
        ("--dropout 1", "dropout = 1.0: expected a number >= 0 and below 1"),
        ("--neighbors 0", "neighbors = 0: expected an integer >= 1"),
        ("--max-len 4", "none of 29 sentence pairs can be used"),
        ("--batch-tokens 0", "batch_tokens = 0: expected an integer >= 1"),
        ("--learning-rate 0", "learning_rate = 0.0: expected a number above 0"),
        ("--tokenizer bpe --lowercase both", "subwords keep the case"),
        ("--min-count 0", "min_count = 0"),
        ("--min-count 1000", "min_count = 1000 leaves no token, all are <unk>: lower it"),
        ("--save-every 0", "save_every = 0"),
        ("--workers 1000000", "workers = 1000000: expected an integer >= 1 and 256 at most"),
        ("--d-model 100000000000", "nable to allocate"),
        ("--accumulate 99999999999999999999", "expected an integer of 9007199254740992 at most"),
        ("--neighbors 99999999999999999999", "expected an integer of 9007199254740992 at most"),
    ],
)
def test_invalid_settings_are_rejected(refused, text_files, small, tmp_path, options, expected):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    assert expected in refused("train", *files, *small, *options.split(), "--run", tmp_path / "run")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--src", "a"],
            "src cannot be trained on: expected a dataset; or the files src and tgt, and with them",
        ),
        (["--held-out-src", "a"], "held_out_src cannot be trained on"),
        (
            ["--held-out-src", "a", "--held-out-tgt", "b"],
            "held_out_src and held_out_tgt cannot be trained on",
        ),
        (["copy", "--src", "a", "--tgt", "b"], "dataset and src and tgt cannot be trained on"),
    ],
)
def test_conflicting_options_are_rejected(train_refused, options, expected):
    assert expected in train_refused(*options)


@pytest.mark.parametrize(
    "option", ["copy", "--run=x", "--d-model=32", "--seed=1", "--recipe=tiny", "--lowercase=both"]
)
def test_most_settings_are_rejected_with_resume(refused, trained_run, option):
    message = refused("train", "--resume", trained_run, option)
    named = "dataset" if option == "copy" else option.partition("=")[0].strip("-").replace("-", "_")
    assert message.endswith(
        f": only epochs, patience, learning_rate, average, average_of, save_every may change, not {named}\n"
    )


def test_existing_run_is_not_overwritten(refused, trained_run, text_files):
    before = {path: path.read_bytes() for path in trained_run.rglob("*.*")}
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    assert "holds a run already" in refused("train", *files, "--run", trained_run)
    assert {path: path.read_bytes() for path in trained_run.rglob("*.*")} == before
