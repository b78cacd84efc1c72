"""`npformer evaluate` on a run of classification: scores, examples, and one's own file."""

import re

import pytest

from npformer import datasets


def figures(out):
    return [
        float(number)
        for number in re.findall(r"^(?:texts|accuracy|macro F1|loss) +([\d.]+)", out, re.MULTILINE)
    ]


def test_evaluate_prefers_the_test_part(command, classifier_run, monkeypatch):
    rows = {"test": [datasets.LabeledText("animal", "the dog sleeps .")] * 3, "held_out": []}
    data = datasets.DataSet(
        name="other", recipe="trec", task="classification", parts=("train", "held_out", "test"),
        read=lambda parts, direction, seed: [rows[part] for part in parts],
    )  # fmt: skip
    monkeypatch.setattr(
        "npformer.runs.settings.TrainingSettings.data_set", lambda settings, examples=None: data
    )
    assert figures(command("evaluate", classifier_run).out)[0] == 3


@pytest.mark.parametrize("batch_tokens", [1, 4096])
def test_evaluate_reads_a_file_and_shows_predictions(
    command, classifier_run, tmp_path, batch_tokens
):
    (tmp_path / "own.tsv").write_text(
        "animal\tthe dog sleeps .\nperson\tis the king here ?\nanimal\t" + "dog " * 40
    )
    options = ["--tsv", tmp_path / "own.tsv", "--show", 5, "--batch-tokens", batch_tokens]
    status, out, _ = command("evaluate", classifier_run, *options)
    [first, second] = out.splitlines()[2:4]
    assert (
        status == 0
        and "\n\ntexts         2, 1 left out (empty, or too long)\naccuracy      50.0%\n" in out
    )
    assert re.fullmatch(r"  animal    animal    0\.\d\d  the dog sleeps \.", first)
    assert re.fullmatch(r"\* person    question  0\.\d\d  is the king here \?", second)
    assert re.search(r"^person +0 +0 +1 +0\.0$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("animal\ta\nplant\tb\n",
         "line 2: the label 'plant' is never seen in training, which has animal, person, quest"),
        ("animal a\n", "line 1 has no tab"),
        ("animal\t" + "dog " * 40,
         "none of 1 texts can be read: expected 1 to 12 tokens with <bos>"),
    ],
)  # fmt: skip
def test_evaluate_rejects_file_that_cannot_be_scored(
    refused, classifier_run, tmp_path, content, expected
):
    (tmp_path / "own.tsv").write_text(content)
    assert expected in refused("evaluate", classifier_run, "--tsv", tmp_path / "own.tsv")
