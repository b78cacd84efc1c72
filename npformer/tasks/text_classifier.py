"""From a text to its class."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..backend import to_host
from ..decoding.scores import check_scores
from ..layers import Softmax
from ..models import Classifier, ClassifierConfig
from ..text import BOS, BaseVocabulary, Labels, fits
from ..utils import InputError
from .predictor import BATCH_TOKENS, Predictor, as_texts, decode_batched

__all__ = ["Prediction", "TextClassifier"]


class Prediction(NamedTuple):
    """The class of a text.

    label: the most probable class.
    probabilities: the probability of each class by its name, the highest first.
    """

    label: str
    probabilities: dict[str, float]


class TextClassifier(Predictor):
    """A trained classifier with the vocabulary of its texts and the names of its classes.

    `npf.load(run)` returns one; `classify` then takes plain text. Unknown words are read as <unk>;
    `unknown(text)` names them.

    Arguments:
        model: the Classifier.
        text: the vocabulary.
        label: the names of the classes, as `Labels`.
    """

    task = "classification"
    model_class = Classifier
    config_class = ClassifierConfig
    sides = {"text": "vocab_size", "label": "n_classes"}
    model: Classifier
    text: BaseVocabulary
    label: Labels

    def encode(self, text: str) -> list[int]:
        """Return the ids of a stripped text after <bos>.

        Raises `InputError` when it is empty or too long.
        """
        ids = self.text.encode(text.strip())
        max_len = self.model.config.max_len
        if not ids:
            raise InputError("the text is empty: give at least one word")
        if not fits(ids, max_len):
            raise InputError(
                f"the text has {len(ids) + 1} tokens with <bos>, more than max_len = {max_len}: "
                "cut it short"
            )
        return [BOS, *ids]

    def classify(
        self, texts: str | Sequence[str], *, batch_tokens: int = BATCH_TOKENS
    ) -> list[Prediction]:
        """Return the class of each text, in their order; a string is one text.

        `batch_tokens` is how many tokens are read at a time, about.

        Raises `InputError` when a text is empty or longer than the model's max_len.
        """
        ids = [self.encode(text) for text in as_texts(texts)]
        predictions = []
        for row in self.probabilities(ids, batch_tokens=batch_tokens):
            # stable, so that of equally probable classes the first comes first
            order = np.argsort(-row, kind="stable")
            probabilities = {self.label.names[i]: float(row[i]) for i in order}
            predictions.append(Prediction(self.label.names[order[0]], probabilities))
        return predictions

    def probabilities(
        self, texts: Sequence[list[int]], *, batch_tokens: int = BATCH_TOKENS
    ) -> np.ndarray:
        """Return the probability of each class (texts, C), on the host, for what `encode` returned.

        Raises `InputError` when the model's weights have diverged.
        """
        rows = decode_batched(self.model, self._probabilities, texts, batch_tokens=batch_tokens)
        return np.array(rows, self.model.config.dtype)

    def _probabilities(self, ids: np.ndarray) -> np.ndarray:  # (B, S)
        with np.errstate(all="ignore"):  # the check reports what is not a number
            logits = self.model.forward(ids)  # (B, C)
        check_scores(logits.max(-1))
        return to_host(Softmax().forward(logits))  # (B, C)
