"""The examples that a training ends with, and `evaluate --show`."""

import numpy as np

from npformer.cli.examples import classes
from npformer.datasets import LabelledText
from npformer.decoding.text_classifier import Prediction
from npformer.evaluation import ClassificationScores


def test_beside_the_class_that_was_found_stands_its_probability():
    texts = [LabelledText("b", "one"), LabelledText("b", "two\n")]
    found = [Prediction("b", {"b": 0.6, "a": 0.4}), Prediction("a", {"a": 0.8, "b": 0.2})]
    evaluation = ClassificationScores(texts, 0, found, ["a", "b"], np.array([[0, 0], [1, 1]]), 0.5)
    assert classes(evaluation, 5) == "  b  b  0.60  one\n* b  a  0.80  two "
    assert classes(evaluation, 1) == "  b  b  0.60  one"


def test_a_training_ends_with_ten(command, without_pictures, small, text_files, tmp_path, monkeypatch):
    numbers = []
    monkeypatch.setattr("npformer.cli.train.examples", lambda evaluation, number: numbers.append(number) or "")
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    assert command("train", *files, *small, "--epochs", 1, "--run", tmp_path / "run").status == 0
    assert numbers == [10]
