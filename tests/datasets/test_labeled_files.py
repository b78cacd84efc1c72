"""One's own labeled texts, and what is wrong with a line."""

from collections import Counter

import pytest

from npformer import datasets
from npformer.datasets import LabeledText
from tests.datasets.refusals import refusal

ROWS = [
    LabeledText(label, f"text {label} {i}")
    for i in range(300)
    for label in ("a", "b", "c")
    if i < 200 or label == "a"
]


def tsv(path, rows):
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


def test_labeled_data_set_from_two_files(tmp_path):
    train, held_out = (
        tsv(tmp_path / "train.tsv", ROWS),
        tsv(tmp_path / "held_out.tsv", [("b", "new"), ("a", "text a 0")]),
    )
    data = datasets.from_tsv(train, held_out)
    assert (data.name, data.recipe, data.tokenizer) == ("run", "texts", None)
    assert (data.task, data.is_synthetic, data.parts) == (
        "classification",
        False,
        ("train", "held_out"),
    )
    assert data.load("held_out", "train") == [[("b", "new"), ("a", "text a 0")], ROWS]
    assert isinstance(data.load("train")[0][0], LabeledText)


def test_file_of_one_part_is_read_without_that_of_the_other(tmp_path):
    train = tsv(tmp_path / "train.tsv", ROWS)
    assert datasets.from_tsv(train, tmp_path / "gone").load("train") == [ROWS]
    data = datasets.from_tsv(tmp_path / "gone", tsv(tmp_path / "held_out.tsv", [("b", "new")]))
    assert data.load("held_out") == [[("b", "new")]]
    assert "gone does not exist" in refusal(data, "train")


def test_two_percent_of_each_class_are_held_out_by_seed(tmp_path):
    data = datasets.from_tsv(tsv(tmp_path / "train.tsv", ROWS))
    train, held_out = data.load("train", "held_out", seed=1)
    assert Counter(label for label, _ in held_out) == {"a": 6, "b": 4, "c": 4}
    assert sorted(train + held_out) == sorted(ROWS)
    assert data.load("held_out", seed=1) == [held_out] != data.load("held_out", seed=2)


@pytest.mark.parametrize(
    ("line", "missing"),
    [("a text", "tab"), ("", "tab"), ("\ttext", "label"), (" \ttext", "label"), ("a\t \t", "text")],
)
@pytest.mark.parametrize("which", ["train", "held_out"])
def test_malformed_line_is_reported_with_line_number(tmp_path, which, line, missing):
    files = {
        name: tsv(tmp_path / f"{name}.tsv", [("a", "x"), ("b", "y")])
        for name in ("train", "held_out")
    }
    files[which].write_text(f"a\tx\n{line}\nb\ty\n")
    message = refusal(datasets.from_tsv(files["train"], files["held_out"]))
    assert message == f"{files[which]}, line 2 has no {missing}: expected a label, a tab and a text"


@pytest.mark.parametrize("which", ["train", "held_out"])
def test_empty_file_is_named(tmp_path, which):
    files = {
        name: tsv(tmp_path / f"{name}.tsv", [("a", "x"), ("b", "y")])
        for name in ("train", "held_out")
    }
    files[which].write_text("")
    assert f"{files[which]} is empty: expected a label, a tab and a text per line" == refusal(
        datasets.from_tsv(files["train"], files["held_out"])
    )


def test_training_file_with_a_single_label_is_named(tmp_path):
    train = tsv(tmp_path / "train.tsv", [("a", "x"), ("a", "y")])
    held_out = tsv(tmp_path / "held_out.tsv", [("a", "z")])
    assert refusal(datasets.from_tsv(train, held_out)) == (
        f"{train} has no other label than 'a': expected two or more to tell apart"
    )


def test_held_out_label_not_in_training_is_reported_with_line(tmp_path):
    train, held_out = (
        tsv(tmp_path / "t.tsv", ROWS),
        tsv(tmp_path / "v.tsv", [("a", "x"), ("z", "y")]),
    )
    message = refusal(datasets.from_tsv(train, held_out))
    assert (
        message == f"{held_out}, line 2: the label 'z' is never seen in training, which has a, b, c"
    )
    ten = [(f"{i:02}", f"text {i}") for i in range(10)]
    assert refusal(datasets.from_tsv(tsv(tmp_path / "t.tsv", ten), held_out)).endswith("08, 09")
    many = tsv(tmp_path / "t.tsv", [*ten, ("10", "text 10")])
    assert "which has 00, 01, 02, 03, 04, 05, 06, 07, 08, 09, ..." in refusal(
        datasets.from_tsv(many, held_out)
    )


def test_classes_with_one_distinct_text_cannot_be_held_out(tmp_path):
    train = tsv(tmp_path / "train.tsv", [("a", "x"), ("b", "y"), ("a", "x")])
    assert "of 3 texts none can be held out" in refusal(datasets.from_tsv(train))
