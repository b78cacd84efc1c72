"""A data set by its name, subwords, the recipe and the scores of real sentences, from the command
line.
"""

import gzip
import hashlib
import re

import pytest

from npformer.datasets.published import multi30k
from npformer.runs.folder import RunFolder
from npformer.text import BPEVocabulary
from npformer.utils.files import read_json

PARTS = {"train": 24, "val": 4, "test_2016_flickr": 2}


@pytest.fixture
def multi30k_folder(tmp_path, monkeypatch, text_files):
    """The folder of six files that the data set wants, filled with thirty lines of our own."""
    folder = tmp_path / "data" / "multi30k"
    folder.mkdir(parents=True)
    for file, language in zip(text_files, ("en", "de"), strict=True):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for part, number in PARTS.items():
            taken, lines = lines[:number], lines[number:]
            (folder / f"{part}.{language}.gz").write_bytes(gzip.compress("".join(taken).encode()))
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    monkeypatch.setattr(multi30k, "SHA256", sums)
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path / "data"))
    return folder


@pytest.fixture
def trained(without_pictures, command, small, tmp_path, multi30k_folder):
    def train(*options):
        sizes = small[: small.index("--batch-tokens")]
        quick = [
            "--epochs",
            2,
            "--vocab-size",
            300,
            "--average",
            2,
            "--learning-rate",
            0.01,
            "--warmup-steps",
            4,
        ]
        outcome = command("train", "multi30k", *sizes, *quick, "--run", tmp_path / "run", *options)
        assert (outcome.status, outcome.err) == (0, "")
        return RunFolder(tmp_path / "run"), outcome.out

    return train


@pytest.mark.parametrize("direction", multi30k.DIRECTIONS)
def test_data_set_can_be_trained_and_evaluated_by_name(trained, command, direction):
    folder, out = trained("--direction", direction)
    language = direction.split("-")[1]
    assert (
        "24 sentence pairs; 4 held out" in out and f"Moses tokens ({language}), lower case" in out
    )
    assert folder.read_section("training")["recipe"] == "multi30k"
    status, out, err = command("evaluate", folder.path, "--show", 2)
    assert (status, err) == (0, "")
    assert re.search(r"^sentences +2$", out, re.MULTILINE), "the test set is what evaluate takes"
    assert ("reference  der" in out) is (language == "de")
    assert command("train", "--resume", folder.path).status == 0


def test_evaluate_reads_only_the_files_it_scores(trained, command, multi30k_folder):
    folder, _ = trained()
    for file in [*multi30k_folder.glob("train.*"), *multi30k_folder.glob("val.*")]:
        file.unlink()
    status, _, err = command("evaluate", folder.path)
    assert (status, err) == (0, "")


def test_one_vocabulary_of_subwords_is_saved_for_both_sides(trained):
    folder, _ = trained()
    source, target = folder.vocabularies()
    assert source is target and isinstance(source, BPEVocabulary)
    assert not (folder.path / "source_vocabulary.json").exists()
    assert read_json(folder.subwords_path) == source.to_json()
