"""Training a classifier from the command line: what it says and leaves, and what stops it."""

import re
import shlex

import pytest

from npformer.runs.folder import RunFolder


@pytest.fixture
def arguments(labeled_file, small_classifier, tmp_path):
    """Give the arguments of a training in a folder of this name, and that folder."""

    def make(name, *options):
        files = ["--tsv", str(labeled_file), "--held-out", str(labeled_file)]
        how = ["--epochs", "3", "--average", "2", "--save-every", "2", "--dropout", "0.1"]
        return [
            "train",
            *files,
            *small_classifier,
            *how,
            *options,
            "--run",
            str(tmp_path / name),
        ], RunFolder(tmp_path / name)

    return make


def test_classifier_training_output_and_files(command, arguments):
    options, folder = arguments("a run")
    status, out, err = command(*options)
    assert (status, err) == (0, "")
    assert out.startswith("data    36 texts; 36 held out in 3 classes\ntokens  ")
    assert f"tokens  {len(folder.vocabularies()[0])} text, tokenizer word; " in out
    lines = [line for line in out.splitlines() if line.startswith("epoch ")]
    pattern = r"epoch   \d   loss \d\.\d{3}   held-out loss \d\.\d{3}   accuracy \d+\.\d%   [\d,]+ texts/s   \d+ s"
    assert len(lines) == 3 and all(re.fullmatch(pattern, line) for line in lines)
    assert "tokens/s" not in out
    assert {path.name for path in folder.path.iterdir()} == {
        "checkpoint.safetensors",
        "config.json",
        "curve.png",
        "epochs",
        "labels.json",
        "lock",
        "log.csv",
        "text_vocabulary.json",
        "weights.safetensors",
    }
    program, *again = shlex.split(out.splitlines()[-1].partition("  ")[2])
    assert (program, again[0]) == ("npformer", "classify") and command(*again).status == 0


def test_accuracy_of_last_epoch_equals_table(command, arguments):
    out = command(*arguments("run", "--average", "1")[0]).out
    last = [line for line in out.splitlines() if line.startswith("epoch ")][-1]
    [percent] = re.findall(r"accuracy (\S+)%", last)
    assert f"accuracy      {percent}%\n" in out


def test_texts_that_do_not_fit_in_a_batch_are_skipped_and_counted(command, arguments):
    out = command(*arguments("run", "--batch-tokens", "5")[0]).out
    assert "data    30 texts, 6 left out (empty, or over 5 tokens, special tokens included);" in out


def test_too_long_texts_are_skipped_and_counted(command, arguments, without_pictures):
    # of five words with the <bos>, and six
    status, out, _ = command(*arguments("run", "--max-len", "5")[0])
    left_out = "6 left out (empty, or over 5 tokens, special tokens included)"
    assert status == 0 and f"data    30 texts, {left_out}; 30 held out in 3 classes\n" in out
    assert "texts         30, 6 left out (empty, or too long)" in out
