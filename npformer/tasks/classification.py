"""Classification: labeled texts to a TextClassifier."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..datasets import LabeledText
from ..datasets.own_files import read_labeled
from ..evaluation import score_classes
from ..text import BOS, PAD, Labels, WordDropout, fits, pad
from ..utils import InputError, one_line, setting
from .batches import Batch, Batches
from .predictor import BATCH_TOKENS
from .task import Options, Task, build_text_vocabulary
from .text_classifier import TextClassifier


@dataclass(eq=False)
class ClassificationBatch(Batch):
    """Padded ids (B, S), each text after a <bos>, which first-token pooling reads; and a class for each, (B,).

    >>> batch = ClassificationBatch.collate([([4, 5], 1), ([6], 0)])
    >>> batch.ids.tolist(), batch.labels.tolist(), batch.n_tokens
    ([[2, 4, 5], [2, 6, 0]], [1, 0], 2)
    """

    ids: np.ndarray
    labels: np.ndarray
    pad_id: ClassVar[None] = None  # every text has a class, and 0 is a class

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return (self.ids,)

    @property
    def targets(self) -> np.ndarray:
        """The classes that it is to predict."""
        return self.labels

    @classmethod
    def collate(cls, examples) -> "ClassificationBatch":
        """Make a batch of pairs of ids, without special tokens, and a class."""
        return cls(
            pad([[BOS, *ids] for ids, _ in examples], PAD),
            np.array([label for _, label in examples]),
        )


@dataclass(frozen=True, kw_only=True)
class EvaluateClassification(Options):
    """What `npformer evaluate` can be given for a run of classification."""

    tsv: str | None = setting(
        None, "file of lines: label, tab, text", none_is="the run's test or held-out set"
    )


@dataclass(frozen=True, kw_only=True)
class ClassifySettings(Options):
    """The options of `npformer classify`."""

    json: bool = setting(False, "one JSON object per line: text, label, probabilities, unknown")


class ClassificationTask(Task):
    """Labeled texts to a TextClassifier."""

    name, verb = "classification", "classify"
    help = "Name the class of texts, or of standard input line by line."
    predictor, batch = TextClassifier, ClassificationBatch
    counted, examples, read_field = "text", "texts", "text"
    evaluate_settings, predict_settings = EvaluateClassification, ClassifySettings

    def build_vocabularies(self, examples: Sequence[LabeledText], settings, model_settings):
        texts, lowercase = (example.text for example in examples), settings.lowercase != "none"
        return build_text_vocabulary(texts, settings, lowercase=lowercase), Labels.build(
            e.label for e in examples
        )

    def make_batches(
        self, examples: Sequence[LabeledText], vocabularies, config, settings, *, held_out=False
    ):
        (vocabulary, labels), longest = vocabularies, min(config.max_len, settings.batch_tokens)
        usable = [
            (example, ids)
            for example in examples
            if fits(ids := vocabulary.encode(example.text), longest)
        ]
        if not usable:
            long = f"more than {longest} tokens with <bos>, the smaller of max_len and batch_tokens"
            raise InputError(
                f"none of {len(examples)} texts can be used: each is empty, or has {long}"
            )
        ids, classes = (
            [ids for _, ids in usable],
            [labels.id(example.label) for example, _ in usable],
        )
        recut = None
        hidden = WordDropout(
            ids, share=settings.word_dropout, rare=settings.rare_word_dropout, seed=settings.seed
        )
        if not held_out and (settings.word_dropout or settings.rare_word_dropout):

            def recut(epoch: int) -> list:
                return list(zip(hidden.epoch(ids, epoch), classes, strict=True))

        batches = Batches(
            list(zip(ids, classes, strict=True)),
            batch_tokens=settings.batch_tokens,
            seed=settings.seed,
            collate=ClassificationBatch.collate,
            n_special_tokens=(1,),
            recut=recut,
        )
        return batches, len(examples) - len(usable)

    def score(
        self, predictor: TextClassifier, examples: Sequence[LabeledText], settings, batch_tokens
    ):
        """Classify every text that can be read, and compare with its label."""
        max_len, read = predictor.model.config.max_len, predictor.text.encode
        usable = [
            (example, ids)
            for example in examples
            if fits(ids := read(example.text.strip()), max_len)
        ]
        if not usable:
            raise InputError(
                f"none of {len(examples)} texts can be read: expected 1 to {max_len} tokens with <bos>"
            )
        texts, classes = (
            [text for text, _ in usable],
            [predictor.label.id(text.label) for text, _ in usable],
        )
        probabilities = predictor.probabilities(
            [[BOS, *ids] for _, ids in usable], batch_tokens=batch_tokens
        )  # (n, C)
        left_out = len(examples) - len(texts)
        return score_classes(
            texts, classes, probabilities, predictor.label.names, left_out=left_out
        )

    def read_examples(self, predictor: TextClassifier, settings):
        return (
            None
            if settings.tsv is None
            else read_labeled(settings.tsv, known=predictor.label.names)
        )

    def predict(
        self, predictor: TextClassifier, texts, settings, *, first=1, batch_tokens=BATCH_TOKENS
    ):
        """Yield the class of each text, its probability, and the other classes; or a JSON object."""
        predictions = iter(
            predictor.classify(
                [text for text in texts if text is not None], batch_tokens=batch_tokens
            )
        )
        width = max(map(len, predictor.label.names))
        for text in texts:
            label, probabilities = next(predictions) if text is not None else (None, {})
            if settings.json:
                unknown = predictor.unknown(text) if text is not None else []
                answer = {
                    "text": text,
                    "label": label,
                    "probabilities": probabilities,
                    "unknown": unknown,
                }
                yield json.dumps(answer)
            elif label is None:
                yield ""
            else:
                (_, probability), *others = probabilities.items()
                rest = "  ".join(f"{name} {share:.2f}" for name, share in others)
                yield one_line(f"{label:<{width}}  {probability:.2f}   {rest}")
