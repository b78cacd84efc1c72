"""What the learner's `training_step` is given in notebook 16: models, optimizers and batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import npformer as npf
from npformer.text import BOS, EOS, PAD
from npformer_course import course
from npformer_course.definition import module_of

from .course_sentence import CourseSentence
from .expected import Expected

# what the exercise gives
_given = module_of(course.load("training_step").stub)
Adam = _given.Adam  # with the learning rate as an argument of step
cross_entropy = _given.cross_entropy  # without smoothing; returns the loss and dlogits

FIRST_DIGIT = 4  # the id of digit 0

# in the recording of one update of `small_translator` on the first sentence of REVERSED
HUNT = Expected(tokens=[4, 5, 6], wrong=5, n_zero=14, dead=[1, 4, 9], changes=[0.01, -0.01])


class Batch(NamedTuple):
    """Sentences of a batch.

    Fields:
        src: ids (B, S), with <eos>
        ids: those of the translations (B, T + 1), with <bos> and <eos>
    """

    src: np.ndarray
    ids: np.ndarray


class Translation:
    """A Transformer with its sources, as a model of the ids of the translation.

    It is used like the small model of the exercise: `forward(ids)` returns logits, `backward`
    adds to the gradients, and only `zero_grad` empties them.

    Arguments:
        model: a Transformer
        src: ids (B, S) of the sources, which may be exchanged

    Fields: model, src, and scale, by which the gradient of the logits is multiplied, 1 unless
    something is broken.
    """

    def __init__(self, model: npf.Transformer, src: np.ndarray | None = None):
        self.model = model.train()  # so that forward remembers what backward needs
        self.src = src
        self.scale = 1.0

    def parameters(self) -> list:
        """Return all parameters."""
        return self.model.parameters()

    def zero_grad(self) -> None:
        """Set all gradients to 0."""
        self.model.zero_grad()

    def forward(self, ids: np.ndarray) -> np.ndarray:
        """Return logits (B, T, V) for ids (B, T)."""
        return self.model.forward(self.src, ids)

    def backward(self, dlogits: np.ndarray) -> None:
        """Add to the gradients of all parameters."""
        self.model.backward((dlogits * self.scale).astype(np.float32))


def probabilities_of_right(model: Translation, ids: np.ndarray) -> np.ndarray:
    """Return p of the right token at each position of the first sentence, (T,)."""
    logits = model.forward(ids[:, :-1])[0].astype(float)  # (T, V)
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    p = exponentials / exponentials.sum(-1, keepdims=True)
    return p[np.arange(len(p)), ids[0, 1:]]


def small_translator(d_model: int = 8, n_digits: int = 4) -> npf.Transformer:
    """Return a Transformer with random parameters, one layer in each stack, for digits."""
    config = npf.TransformerConfig(
        src_vocab_size=FIRST_DIGIT + n_digits,
        tgt_vocab_size=FIRST_DIGIT + n_digits,
        d_model=d_model,
        d_ff=2 * d_model,
        n_heads=2,
        n_encoder_layers=1,
        n_decoder_layers=1,
        dropout=0.0,
    )
    return npf.Transformer(config, rng=0)


def batch_of(sources: list[list[int]], targets: list[list[int]]) -> Batch:
    """Return sentences of ids as a batch, padded."""
    return Batch(
        _padded([[*source, EOS] for source in sources]),
        _padded([[BOS, *target, EOS] for target in targets]),
    )


def batch_of_sentence(sentence: CourseSentence) -> Batch:
    """Return the sentence of the course as a batch."""
    read = sentence.batch.tgt_in  # (1, 10), from <bos> on
    predicted = sentence.batch.tgt_out  # (1, 10), up to <eos>
    return Batch(sentence.batch.src, np.concatenate([read, predicted[:, -1:]], axis=1))


def _padded(rows: list[list[int]]) -> np.ndarray:
    array = np.full((len(rows), max(len(row) for row in rows)), PAD)
    for i, row in enumerate(rows):
        array[i, : len(row)] = row
    return array


def reversed_digits(seed: int, n: int, size: int = 16) -> Iterator[Batch]:
    """Yield n batches of rows of three to six digits, and the same from the right."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        rows = []
        for _ in range(size):
            digits = rng.integers(0, 10, rng.integers(3, 7))
            rows.append((FIRST_DIGIT + digits).tolist())
        yield batch_of(rows, [row[::-1] for row in rows])


REVERSED = batch_of([[4, 5, 6], [7, 4]], [[6, 5, 4], [4, 7]])
NOT_REVERSED = batch_of([[4, 5, 6], [7, 4]], [[4, 6, 5], [7, 4]])  # a batch with wrong targets
