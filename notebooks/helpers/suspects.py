"""Trainings to debug: models and batches, some with a bug, and what tests of seconds find.

The task is to reverse three to six digits; digit n has the id 4 + n.
"""

from __future__ import annotations

import copy

import numpy as np

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, Objective, TranslationBatch
from npformer.training import Adam
from npformer.visualization import StepThrough

VOCABULARY = 14  # <pad>, <unk>, <bos>, <eos> and ten digits
EOS = 3
BATCH_SIZE = 32
RATE = 3e-3
UNSEEN_CULPRIT = 0  # of the suspects that the notebook counts

Pair = tuple[list[int], list[int]]


def pairs_of_digits(n: int, seed: int = 0) -> list[Pair]:
    """Return n pairs of ids: random digits, and the same digits in reverse order."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        digits = rng.integers(4, VOCABULARY, rng.integers(3, 7)).tolist()
        pairs.append((digits, digits[::-1]))
    return pairs


class _Blind(npf.Transformer):
    """A Transformer whose decoder cannot see the source."""

    def decode(self, tgt, memory, mask):
        return super().decode(tgt, 0 * memory, mask)


def suspect_model(suspect: str, n_layers: int = 1) -> npf.Transformer:
    """Return a fresh model of suspect "A", "B", "C", "D" or "unseen", always the same numbers."""
    config = npf.TransformerConfig(
        src_vocab_size=VOCABULARY,
        tgt_vocab_size=VOCABULARY,
        dropout=0.0,
        tie_embeddings="none",
        d_model=32,
        d_ff=128,
        n_heads=4,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
    )
    kind = _Blind if suspect == "D" else npf.Transformer
    model = kind(config, rng=0)
    if suspect == "A":
        model.generator.table.data *= np.sqrt(config.d_model)
    if suspect == "unseen":
        model.encoder.input_embedding.embedding.scale = config.d_model
    return model


def suspect_batch(suspect: str, pairs: list[Pair]) -> TranslationBatch:
    """Return a batch of these pairs, as a suspect makes it."""
    batch = TranslationBatch.collate(pairs)
    if suspect == "C":
        return TranslationBatch(batch.src, batch.tgt_out, batch.tgt_out)
    return batch


def suspect_batches(suspect: str, n: int) -> list[TranslationBatch]:
    """Return n batches, always the same, as a suspect makes them."""
    pairs = pairs_of_digits(n * BATCH_SIZE)
    batches = []
    for start in range(0, len(pairs), BATCH_SIZE):
        batches.append(suspect_batch(suspect, pairs[start : start + BATCH_SIZE]))
    return batches


def loss_of(model: npf.Transformer, batch: TranslationBatch) -> float:
    """Return the loss of a batch, plain cross-entropy, without an update."""
    logits = model.forward(batch.src, batch.tgt_in)
    return LabelSmoothingLoss(eps=0.0).forward(logits, batch.tgt_out)


def train(
    model: npf.Transformer, batches: list[TranslationBatch], rate: float = RATE
) -> np.ndarray:
    """Make one update for each batch, and return the losses: the lines of notebook 16."""
    loss = LabelSmoothingLoss(eps=0.0)  # plain cross-entropy: the floor is 0
    adam = Adam(model.parameters(), learning_rate=rate)
    losses = []
    for batch in batches:
        model.zero_grad()
        losses.append(loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out))
        dlogits = loss.backward()
        model.backward(dlogits)
        adam.clip_gradient(1.0)
        adam.step()
    return np.array(losses)


def step_of(model: npf.Transformer, batch: TranslationBatch) -> StepThrough:
    """Record an update of a copy of a model."""
    objective = Objective(copy.deepcopy(model), label_smoothing=0.0)
    return npf.step_through(objective.train(), batch)


def repeated(suspect: str, batch: TranslationBatch, n: int, n_layers: int = 1) -> np.ndarray:
    """Return the losses of n updates of a fresh model on one batch."""
    return train(suspect_model(suspect, n_layers), n * [batch])


def loss_of_a_guess() -> float:
    """Return the loss of a model that gives every token the same probability."""
    p = np.full(VOCABULARY, 1 / VOCABULARY)
    return float(-np.log(p[0]))


def least_loss_without_source(batch: TranslationBatch) -> float:
    """Return the least loss of a model that sees only the target's tokens so far.

    That is the entropy of the tokens that follow each beginning in this batch.
    """
    followers: dict[tuple[int, ...], list[int]] = {}
    for read, written in zip(batch.tgt_in.tolist(), batch.tgt_out.tolist(), strict=True):
        for t in range(written.index(EOS) + 1):
            followers.setdefault(tuple(read[: t + 1]), []).append(written[t])

    total = 0.0
    for tokens in followers.values():
        _, counts = np.unique(tokens, return_counts=True)
        shares = counts / len(tokens)
        total -= len(tokens) * float((shares * np.log(shares)).sum())
    return total / batch.n_tokens


def logits_of(suspect: str, model: npf.Transformer, pair: Pair) -> np.ndarray:
    """Return the logits (T, V) for one pair, in a batch as the suspect makes it."""
    batch = suspect_batch(suspect, [pair])
    return model.forward(batch.src, batch.tgt_in)[0]


def largest_changes(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the largest change of a logit at each position, for logits (T, V)."""
    return np.abs(after - before).max(-1)


def write_greedily(model: npf.Transformer, source: list[int], longest: int = 8) -> list[int]:
    """Return the digits that a model writes for a source, the most probable token each time."""
    [written] = npf.decoding.greedy_decode(
        model, np.array([[*source, EOS]]), max_extra_tokens=longest
    )
    return [token - 4 for token in written]


def sizes_in_attentions(
    model: npf.Transformer, batch: TranslationBatch
) -> dict[str, tuple[float, float]]:
    """Return, for each attention, the size of what enters and the mean largest weight.

    The size is the root mean square of all features. Names are such as "encoder 0 self".
    """
    with npf.trace(model, depth=None) as trace:
        model.forward(batch.src, batch.tgt_in)

    found = {}
    for name in trace:
        if not name.endswith("attention") or "sublayer" in name:
            continue
        x = trace[name].inputs[0]
        weights = trace[f"{name}.sublayer.attention.softmax"].output
        size = float(np.sqrt(np.mean(x * x)))
        short = name.replace(".layers.", " ").replace("_attention", "").replace(".", " ")
        found[short] = (size, float(weights.max(-1).mean()))
    return found
