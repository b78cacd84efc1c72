from functools import partial

import pytest

from npformer import datasets
from npformer.datasets.synthetic import phrasebook


@pytest.mark.long
@pytest.mark.parametrize("name", ["copy", "reverse", "dates"])
def test_data_files_hold_one_pair_per_line(command, tmp_path, name):
    status, out, err = command("data", name, "--out", tmp_path)
    assert (status, err) == (0, "")
    assert sorted(out.split()) == sorted(str(path) for path in tmp_path.rglob("*.*"))
    for part, pairs in zip(("train", "held_out"), datasets.find(name).load("train", "held_out"), strict=True):
        columns = {"src": [pair.source for pair in pairs], "tgt": [pair.target for pair in pairs]}
        if pairs[0].alignment:
            columns["align"] = [pair.pharaoh for pair in pairs]
        for ending, lines in columns.items():
            text = (tmp_path / name / f"{part}.{ending}").read_text(encoding="utf-8")
            assert text == "".join(f"{line}\n" for line in lines)


def test_text_is_written_unchanged(command, tmp_path, monkeypatch):
    monkeypatch.setattr(phrasebook, "split", partial(phrasebook.split, 30, 5))
    assert command("data", "german", "--out", tmp_path).status == 0
    files = tmp_path / "german" / "train.txt", tmp_path / "german" / "held_out.txt"
    assert sorted(tmp_path.rglob("*.*")) == sorted(files)
    parts = datasets.find("german").load("train", "held_out")
    assert [[path.read_text(encoding="utf-8")] for path in files] == parts
    assert datasets.from_text(*files).load("train", "held_out") == parts


def test_labeled_texts_are_written_as_tsv(command, tmp_path, monkeypatch):
    """A set of them that is made by our own code, were there one."""
    parts = {"train": [("b", "y 1"), ("a", "x 2"), ("a", "x 3")], "held_out": [("a", "x 4")]}
    labeled = {name: [datasets.LabeledText(*row) for row in rows] for name, rows in parts.items()}
    read = lambda wanted, direction, seed: [labeled[part] for part in wanted]  # noqa: E731
    made = datasets.DataSet(name="copy", recipe="tiny", task="classification", read=read, made=True)
    monkeypatch.setitem(datasets.table(), "copy", made)
    assert command("data", "copy", "--out", tmp_path, "--lines", 2).status == 0
    files = tmp_path / "copy" / "train.tsv", tmp_path / "copy" / "held_out.tsv"
    assert [path.read_text() for path in files] == ["b\ty 1\na\tx 2\n", "a\tx 4\n"]
    assert datasets.from_tsv(*files).load("train", "held_out") == [labeled["train"][:2], labeled["held_out"]]


def test_several_data_sets_with_limited_lines_are_written(command, tmp_path):
    assert command("data", "copy", "sort", "--out", tmp_path / "new" / "folder", "--lines", 7).status == 0
    files = list((tmp_path / "new" / "folder").rglob("*.*"))
    assert {path.parent.name for path in files} == {"copy", "sort"}
    assert {path.read_text().count("\n") for path in files} == {7}


def test_written_data_can_be_used_for_training(command, small, tmp_path, without_pictures):
    command("data", "sort", "--out", tmp_path, "--lines", 40)
    files = ["--src", tmp_path / "sort" / "train.src", "--tgt", tmp_path / "sort" / "train.tgt"]
    assert command("train", *files, *small, "--epochs", 1, "--run", tmp_path / "run").status == 0


def test_unknown_data_set_is_rejected_before_writing(refused, tmp_path):
    assert "invalid choice: 'latin'" in refused("data", "copy", "latin", "--out", tmp_path)
    assert not list(tmp_path.iterdir())


def test_folder_that_cannot_be_created_is_named(refused, tmp_path):
    (tmp_path / "file").touch()
    assert "cannot make the folder" in refused("data", "copy", "--out", tmp_path / "file", "--lines", 1)
