"""A new task is one file: it is trained and evaluated by the command line, and used from Python."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from npformer import datasets, runs
from npformer.datasets import DataSet
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import (
    TASKS,
    Batches,
    ClassificationBatch,
    Predictor,
    Task,
    decode_batched,
    evaluate,
    register,
)
from npformer.text import BOS, Labels, Vocabulary


@dataclass(frozen=True, kw_only=True)
class CountingConfig(ClassifierConfig):
    """The config of a model that counts."""


class Counter(Predictor):
    """The number of words of a text."""

    task = "counting"
    model_class, config_class = Classifier, CountingConfig
    sides = {"text": "vocab_size", "label": "n_classes"}

    def encode(self, text):
        return [BOS, *self.text.encode(text)]

    def count(self, texts):
        ids = [self.encode(text) for text in texts]
        return [
            int(self.label.names[i])
            for i in decode_batched(self.model, lambda x: self.model.forward(x).argmax(-1), ids)
        ]


class CountingScores(NamedTuple):
    errors: list[int]

    def table(self):
        return f"mean error {np.mean(np.abs(self.errors)):.2f}"

    def examples(self, number):
        return f"errors {self.errors[:number]}"


class CountingTask(Task):
    name = "counting"
    predictor = Counter
    counted = "text"

    def build_vocabularies(self, examples, settings, model_settings):
        return Vocabulary.build(examples), Labels.build(str(len(text.split())) for text in examples)

    def make_batches(self, examples, vocabularies, config, settings, *, held_out=False):
        text, label = vocabularies
        ids = [(text.encode(line), label.id(str(len(line.split())))) for line in examples]
        return Batches(
            ids,
            collate=ClassificationBatch.collate,
            n_special_tokens=(1,),
            batch_tokens=settings.batch_tokens,
            seed=settings.seed,
        ), 0

    def evaluate(self, predictor, examples, *, signed=False, batch_tokens=4096):
        errors = []
        for count, text in zip(predictor.count(examples), examples, strict=True):
            error = count - len(text.split())
            errors.append(error if signed else abs(error))
        return CountingScores(errors)


@pytest.fixture
def counting(monkeypatch, tmp_path):
    """Register the task, and a data set of it; work in a folder of its own."""
    texts = [" ".join("a b c".split()[i % 3] for i in range(n)) for n in (1, 2, 3)] * 20
    data = DataSet(
        name="counts",
        task="counting",
        recipe="mistakes",
        read=lambda parts, *_: [texts for _ in parts],
    )
    monkeypatch.setitem(datasets.registry(), "counts", data)
    register(CountingTask())
    monkeypatch.chdir(tmp_path)
    yield
    del TASKS["counting"]


def test_new_task_is_trained_and_evaluated_by_the_command_line(counting, command):
    sizes = [
        "--d-model",
        16,
        "--d-ff",
        16,
        "--n-encoder-layers",
        1,
        "--batch-tokens",
        64,
        "--warmup-steps",
        20,
    ]
    trained = command("train", "counts", *sizes, "--epochs", 20, "--learning-rate", 0.01)
    assert trained.status == 0 and "mean error 0.00" in trained.out
    assert "60 examples" in trained.out and "with  npformer" not in trained.out
    evaluated = command("evaluate", "runs/counts", "--show", 3)
    assert "errors [0, 0, 0]" in evaluated.out and "mean error 0.00" in evaluated.out
    assert "takes no --tsv" in command("evaluate", "runs/counts", "--tsv", "x").err
    for verb in ("attend", "step", "translate"):
        assert "the task counting" in command(verb, "runs/counts", "a b").err
    assert runs.load("runs/counts").count(["b a"]) == [2]
    assert evaluate(runs.load("runs/counts"), ["a b"], signed=True).errors == [0]
    assert runs.resume("runs/counts").done
