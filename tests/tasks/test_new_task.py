"""A new task is one class and one `register`: it is trained, evaluated and used from the command line."""

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
    register,
)
from npformer.text import BOS, Labels, Vocabulary
from npformer.utils import setting


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


@dataclass(frozen=True, kw_only=True)
class EvaluateCounting:
    signed: bool = setting(False, "keep the signs of errors")


@dataclass(frozen=True, kw_only=True)
class CountSettings:
    double: bool = setting(False, "twice the number")


class CountingTask(Task):
    name, verb, help = "counting", "count", "Count words."
    predictor, batch = Counter, ClassificationBatch
    counted, examples = "text", "texts"
    evaluate_settings, predict_settings = EvaluateCounting, CountSettings

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

    def score(self, predictor, examples, settings, batch_tokens):
        counts = zip(predictor.count(examples), examples, strict=True)
        return CountingScores([count - len(text.split()) for count, text in counts])

    def predict(self, predictor, texts, settings, *, first=1, batch_tokens=4096):
        for text in texts:
            yield str(predictor.count([text])[0] * (2 if settings.double else 1)) if text else ""

    def example(self, vocabularies, held_out, config):
        return held_out[0]


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
    monkeypatch.setitem(datasets.table(), "counts", data)
    register(CountingTask())
    monkeypatch.chdir(tmp_path)
    yield
    del TASKS["counting"]


def test_new_task_works_from_the_command_line(counting, command):
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
    assert (
        trained.status == 0
        and "mean error 0.00" in trained.out
        and "npformer count runs/counts" in trained.out
    )
    evaluated = command("evaluate", "runs/counts", "--signed", "--show", 3)
    assert "errors [0, 0, 0]" in evaluated.out and "mean error 0.00" in evaluated.out
    assert command("count", "runs/counts", "a", "a b").out.split() == ["1", "2"]
    assert command("count", "runs/counts", "--double", "a b c").out.split() == ["6"]
    for verb in ("attend", "step"):
        assert "the task counting" in command(verb, "runs/counts", "a b").err
    assert runs.load("runs/counts").count(["b a"]) == [2]
    assert runs.resume("runs/counts").done
