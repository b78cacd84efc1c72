"""Labelled files that cannot be trained on: one line, status 2, and no run folder left behind."""

import gzip

import pytest

GOOD = "a\tone two\nb\ttwo three\n"
BAD = {
    "no tab": ("a\tone\nb two\n", "{train}, line 2 has no tab: expected a label, a tab and a text"),
    "a blank line": ("a\tone\n\nb\ttwo\n", "{train}, line 2 has no tab: expected a label, a tab and a text"),
    "an empty label": ("a\tone\n \ttwo\n", "{train}, line 2 has no label: expected a label, a tab and a text"),
    "an empty text": ("a\t \nb\ttwo\n", "{train}, line 1 has no text: expected a label, a tab and a text"),
    "one class": ("a\tone\na\ttwo\n", "{train} has no other label than 'a': expected two or more to tell apart"),
    "nothing": ("", "{train} is empty: expected a label, a tab and a text per line"),
    "other bytes": (b"a\tone\nb\tGr\xfc\xdfe\n", "{train} is not UTF-8 at byte 10: save it as UTF-8 text"),
}


@pytest.fixture
def train_refused(refused, small_classifier, tmp_path):
    def run(train, *options):
        path = tmp_path / "train.tsv"
        path.write_bytes(train.encode() if isinstance(train, str) else train)
        before = sorted(tmp_path.rglob("*"))
        message = refused("train", "--train", path, *options, *small_classifier, "--epochs", 1, "--run", tmp_path / "r")
        assert sorted(tmp_path.rglob("*")) == before
        return message.removeprefix("npformer: ").rstrip("\n")

    return run


@pytest.mark.parametrize(("content", "expected"), BAD.values(), ids=BAD)
def test_a_training_file_that_cannot_be_used_is_named_with_its_line(train_refused, tmp_path, content, expected):
    assert train_refused(content) == expected.format(train=tmp_path / "train.tsv")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\tone\nz\ttwo\n", "{valid}, line 2: the label 'z' is never seen in training, which has a, b"),
        ("a one\n", "{valid}, line 1 has no tab: expected a label, a tab and a text"),
        ("", "{valid} is empty: expected a label, a tab and a text per line"),
    ],
)
def test_a_held_out_file_that_cannot_be_used_is_named_with_its_line(train_refused, tmp_path, content, expected):
    valid = tmp_path / "valid.tsv"
    valid.write_text(content)
    assert train_refused(GOOD, "--valid", valid) == expected.format(valid=valid)


def test_files_that_cannot_be_read_are_named(train_refused, refused, tmp_path):
    assert train_refused(GOOD, "--valid", tmp_path / "gone").startswith(f"{tmp_path / 'gone'} does not exist")
    assert "Is a directory" in train_refused(GOOD, "--valid", tmp_path)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(GOOD.encode() * 99)[:-9])
    assert train_refused(GOOD, "--valid", cut).startswith(f"{cut} is not a whole gzip file")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--max-len", "2"],
            "none of 2 texts can be used: each is empty, or has more than 2 tokens with <bos>",
        ),
        (["--n-decoder-layers", "2"], "n_decoder_layers"),
        (["--pooling", "median"], "median"),
        (["--src", "x"], "src and tgt go together"),
        (["--text", "x"], "train and text cannot be trained on at once: give one of them"),
    ],
)
def test_options_that_do_not_fit_are_refused(train_refused, tmp_path, options, expected):
    (tmp_path / "valid.tsv").write_text(GOOD)
    assert expected in train_refused(GOOD, "--valid", tmp_path / "valid.tsv", *options)


def test_a_held_out_file_alone_is_refused(refused, tmp_path):
    assert "valid needs train or text with it" in refused("train", "--valid", tmp_path / "v.tsv")
