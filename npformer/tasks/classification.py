"""Classification: batches, vocabularies and scores of labeled texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..datasets import LabeledText
from ..evaluation import score_classes
from ..models import ClassifierConfig
from ..text import BOS, PAD, Labels, WordDropout, fits, pad
from ..utils import InputError
from .batches import Batch, Batches, Example
from .predictor import BATCH_TOKENS
from .task import Task, build_text_vocabulary
from .text_classifier import TextClassifier

__all__ = ["ClassificationBatch", "ClassificationTask"]


@dataclass(eq=False)
class ClassificationBatch(Batch):
    """Padded ids of texts, and the class of each.

    Arguments:
        ids: each text after a <bos>, which first-token pooling reads, (B, S).
        labels: the class that the model is to predict, (B,).

    >>> batch = ClassificationBatch.collate([([4, 5], 1), ([6], 0)])
    >>> batch.ids.tolist(), batch.labels.tolist(), batch.n_tokens
    ([[2, 4, 5], [2, 6, 0]], [1, 0], 2)
    """

    ids: np.ndarray
    labels: np.ndarray

    pad_id: ClassVar[int | None] = None  # every text has a class, and 0 is a class

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return (self.ids,)

    @property
    def targets(self) -> np.ndarray:
        """The classes that it is to predict."""
        return self.labels

    @classmethod
    def collate(cls, examples: Sequence[tuple]) -> "ClassificationBatch":
        """Make a batch of pairs of ids, without special tokens, and a class."""
        texts = []
        labels = []
        for ids, label in examples:
            texts.append([BOS, *ids])
            labels.append(label)
        return cls(pad(texts, PAD), np.array(labels))


class ClassificationTask(Task):
    """Labeled texts to a TextClassifier."""

    name = "classification"
    predictor = TextClassifier
    counted = "text"

    def build_vocabularies(
        self, examples: Sequence[LabeledText], settings: Any, model_settings: dict
    ) -> tuple:
        """Return the vocabulary of the texts, and the names of the classes."""
        texts = [example.text for example in examples]
        # a text has no second side, so that "source" and "both" mean the same
        vocabulary = build_text_vocabulary(texts, settings, lowercase=settings.lowercase != "none")
        return vocabulary, Labels.build(example.label for example in examples)

    def make_batches(
        self,
        examples: Sequence[LabeledText],
        vocabularies: tuple,
        config: ClassifierConfig,
        settings: Any,
        *,
        held_out: bool = False,
    ) -> tuple[Batches, int]:
        """Return the batches, and how many texts were left out as empty or too long."""
        vocabulary, labels = vocabularies
        # a longer text does not fit in the model, or not in a batch
        longest = min(config.max_len, settings.batch_tokens)

        ids = []
        classes = []
        for example in examples:
            text = vocabulary.encode(example.text)
            if fits(text, longest):
                ids.append(text)
                classes.append(labels.id(example.label))
        if not ids:
            raise InputError(
                f"none of {len(examples)} texts can be used: each is empty, or has more than "
                f"{longest} tokens with <bos>, the smaller of max_len and batch_tokens"
            )

        recut = None
        if not held_out and (settings.word_dropout or settings.rare_word_dropout):
            dropout = WordDropout(
                ids,
                share=settings.word_dropout,
                rare=settings.rare_word_dropout,
                seed=settings.seed,
            )
            recut = partial(_with_words_dropped, dropout, classes)

        batches = Batches(
            list(zip(ids, classes, strict=True)),
            batch_tokens=settings.batch_tokens,
            seed=settings.seed,
            collate=ClassificationBatch.collate,
            n_special_tokens=(1,),
            recut=recut,
        )
        return batches, len(examples) - len(ids)

    def evaluate(
        self,
        predictor: TextClassifier,
        examples: Sequence[LabeledText],
        *,
        batch_tokens: int = BATCH_TOKENS,
    ) -> Any:
        """Classify every text that can be read, and compare with its label.

        Arguments:
            predictor: the TextClassifier.
            examples: pairs (label, text).
            batch_tokens: how many tokens are read at a time, about.
        """
        max_len = predictor.model.config.max_len
        texts = []
        ids = []
        classes = []
        for given in examples:
            example = LabeledText(*given)
            text = predictor.text.encode(example.text.strip())
            if fits(text, max_len):
                texts.append(example)
                ids.append([BOS, *text])
                classes.append(predictor.label.id(example.label))
        if not texts:
            raise InputError(
                f"none of {len(examples)} texts can be read: "
                f"expected 1 to {max_len} tokens with <bos>"
            )

        probabilities = predictor.probabilities(ids, batch_tokens=batch_tokens)  # (n, C)
        left_out = len(examples) - len(texts)
        return score_classes(
            texts, classes, probabilities, predictor.label.names, left_out=left_out
        )


def _with_words_dropped(dropout: WordDropout, classes: list[int], epoch: int) -> list[Example]:
    """Return the examples as one epoch reads them."""
    return list(zip(dropout.epoch(epoch), classes, strict=True))
