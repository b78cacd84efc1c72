"""Layers of npformer with a bug planted in their backward, and trainings with them."""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter

import numpy as np

import npformer as npf
from npformer.datasets import sequences
from npformer.layers import Embedding, LayerNorm, ScaledDotProductAttention, Softmax
from npformer.tasks import Batches, Objective, TranslationBatch
from npformer.testing import GradientReport
from npformer.training import Adam, Trainer, WarmupSchedule

from .schematics.learning_curve import EPS, smoothed_entropy

Edit = tuple[str, str]  # what a line has, and what it has with the bug

BUGS: dict[str, tuple[type, list[Edit]]] = {
    "gain outside": (
        LayerNorm,
        [
            ("dxhat = dy * self.gain.data", "dxhat = dy"),
            ("return rstd * (", "return rstd * self.gain.data * ("),
        ],
    ),
    "diagonal only": (Softmax, [("y * (dy - row_sum(dy * y))", "y * (1 - y) * dy")]),
    "ids that repeat": (
        Embedding,
        [
            (
                "scatter_add(self.table.grad, ids.reshape(-1), drows)",
                "self.table.grad[ids.reshape(-1)] += drows",
            )
        ],
    ),
    "no square root": (ScaledDotProductAttention, [("dscores *= 1 / math.sqrt(d_k)", "pass")]),
}
UNKNOWN = (LayerNorm, [("row_mean(dxhat * xhat)", "row_mean(dy * xhat)")])

VOCABULARY = 14  # <pad>, <unk>, <bos>, <eos> and ten digits
PEAK_RATE = 5e-3


def planted(name: str) -> type:
    """Return the class of a layer with one of BUGS in its backward.

    >>> planted("no square root").__name__
    'ScaledDotProductAttention'
    """
    layer, edits = BUGS[name]
    return _edited(layer, edits)[0]


def check_norm(gains: np.ndarray, x: np.ndarray | None = None) -> GradientReport:
    """Check LayerNorm with "gain outside", for gains (D,) and an input (..., D)."""
    gains = np.asarray(gains, dtype=float)
    if x is None:
        x = np.random.default_rng(1).normal(size=(3, gains.size))
    layer = planted("gain outside")(gains.size, dtype="float64")
    layer.gain.data = gains
    return npf.gradcheck(layer, x.astype(float), rng=0)


def check_softmax(scores: np.ndarray) -> GradientReport:
    """Check Softmax with "diagonal only", for scores (..., S)."""
    return npf.gradcheck(planted("diagonal only")(), np.asarray(scores, dtype=float), rng=0)


def check_embedding(ids: np.ndarray) -> GradientReport:
    """Check Embedding with "ids that repeat", with a small table that has a row for each id."""
    _, rows = np.unique(ids, return_inverse=True)
    layer = planted("ids that repeat")(rows.max() + 1, 4, rng=0, dtype="float64")
    return npf.gradcheck(layer, rows.reshape(np.shape(ids)), rng=0)


def check_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> GradientReport:
    """Check attention with "no square root", for q (T, d_k), k (S, d_k) and v (S, d_v)."""
    arrays = [np.asarray(array, dtype=float) for array in (q, k, v)]
    return npf.gradcheck(planted("no square root")(), *arrays, rng=0)


def unknown_bug() -> tuple[type, list[str], int]:
    """Return LayerNorm with a bug, the lines of its backward, and which is wrong, from 1.

    The lines are without comments.
    """
    layer, [(right, wrong)] = UNKNOWN
    edited, code = _edited(layer, [(right, wrong)])
    lines = []
    for line in code.splitlines():
        if line.strip() and not line.strip().startswith("#"):
            lines.append(line)
    [number] = [n for n, line in enumerate(lines, 1) if wrong in line]
    return edited, lines, number


def _edited(layer: type, edits: list[Edit]) -> tuple[type, str]:
    """Return a layer's class with edits in its backward, and the code of that backward."""
    before, after = inspect.getsource(layer).split("    def backward")
    backward = "    def backward" + after
    for right, wrong in edits:
        if backward.count(right) != 1:
            raise ValueError(f"{right!r} is not once in the backward of {layer.__name__}")
        backward = backward.replace(right, wrong)

    names = dict(vars(inspect.getmodule(layer)))
    exec(before + backward, names)
    return names[layer.__name__], textwrap.dedent(backward)


def train_with(bug: str | None, *, seed: int, epochs: int) -> np.ndarray:
    """Train a small model to reverse digits, with a bug in all layers of its class.

    Returns the loss of each update. Labels are smoothed; `loss_floor()` is the least loss.
    """
    config = npf.TransformerConfig(
        src_vocab_size=VOCABULARY,
        tgt_vocab_size=VOCABULARY,
        dropout=0.0,
        d_model=32,
        d_ff=64,
        n_heads=4,
        n_encoder_layers=1,
        n_decoder_layers=1,
    )
    model = npf.Transformer(config, rng=seed)
    if bug is not None:
        right = BUGS[bug][0]
        wrong = planted(bug)
        for _, layer in model.named_modules():
            if type(layer) is right:
                layer.__class__ = wrong

    batches = Batches(_pairs_of_ids(), batch_tokens=256, seed=seed)
    rate = WarmupSchedule.with_peak(PEAK_RATE, config.d_model, 100)
    adam = Adam(model.parameters(), learning_rate=rate)
    trainer = Trainer(Objective(model, label_smoothing=EPS), adam, batches)
    return np.array([record.loss for record in trainer.updates(epochs)])


def small_update() -> tuple[Objective, TranslationBatch]:
    """Return a small model with its loss, and a pair of sequences of digits.

    Gains and biases are moved away from 1 and 0, as in a trained model.
    """
    config = npf.TransformerConfig(
        src_vocab_size=VOCABULARY,
        tgt_vocab_size=VOCABULARY,
        dropout=0.0,
        d_model=8,
        d_ff=16,
        n_heads=2,
        n_encoder_layers=1,
        n_decoder_layers=1,
    )
    model = npf.Transformer(config, rng=0)
    rng = np.random.default_rng(1)
    for parameter in model.parameters():
        parameter.data += rng.normal(0, 0.2, parameter.data.shape).astype(parameter.data.dtype)
    return Objective(model), TranslationBatch.of([[4, 5, 6, 7]], [[7, 6, 5, 4]])


def _pairs_of_ids() -> list[tuple[list[int], list[int]]]:
    pairs, _ = sequences.split("reverse", n_train=750, max_length=8)
    in_ids = []
    for source, target, *_ in pairs:
        source_ids = [4 + int(digit) for digit in source.split()]
        target_ids = [4 + int(digit) for digit in target.split()]
        in_ids.append((source_ids, target_ids))
    return in_ids


def loss_floor() -> float:
    """Return the least loss with smoothed labels: the entropy of a smoothed label.

    >>> round(loss_floor(), 3)
    0.547
    """
    return smoothed_entropy(Counter({0: 1}), VOCABULARY)
