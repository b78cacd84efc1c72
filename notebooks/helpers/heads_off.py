"""Heads switched off, and maps of many sentences, for notebooks 04 and 26."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from npformer.datasets import SentencePair, phrasebook
from npformer.models import Transformer
from npformer.tasks import Batches, TranslationBatch, Translator, mean_loss
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization import attention_weights
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .course_sentence import SOURCE
from .expected import Expected

N_PAIRS = 250


def held_out_pairs() -> list[SentencePair]:
    """Return pairs that the shipped translator was not trained on, with their gold links."""
    return phrasebook.split()[1][:N_PAIRS]


def pair_of_the_course() -> SentencePair:
    """Return the sentence of the course with its gold links."""
    for pair in phrasebook.split()[1]:
        if pair.source == SOURCE:
            return pair
    raise LookupError(f"the phrasebook does not hold out {SOURCE!r}")


def batches_of(translator: Translator, pairs: Sequence[SentencePair]) -> Batches:
    """Return the pairs as ids, in batches."""
    ids = []
    for pair in pairs:
        ids.append((translator.source.encode(pair.source), translator.target.encode(pair.target)))
    return Batches(ids, batch_tokens=2048)


def cross_maps(
    translator: Translator, pairs: Sequence[SentencePair]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the maps of cross-attention and the gold links of each pair.

    Returns:
        weights: an array (layers, H, T, S) for each pair, with <eos> as last row and column.
        gold: an array (T, S) for each pair, True where two words belong together.
    """
    maps = []
    golds = []
    for pair in pairs:
        source_ids = translator.source.encode(pair.source)
        target_ids = translator.target.encode(pair.target)
        batch = TranslationBatch.of([source_ids], [target_ids])
        cross = attention_weights(translator.model, batch.src, batch.tgt_in).cross
        assert cross is not None  # a translator has some
        weights = cross[:, 0]
        gold = np.zeros((len(target_ids), len(source_ids)), dtype=bool)
        for source_word, target_word in pair.alignment:
            gold[target_word, source_word] = True
        maps.append(weights)
        golds.append(gold)
    return maps, golds


def attentions(model: Any) -> dict[str, Any]:
    """Return the six attention sub-layers of the translator by name."""
    found = {}
    for number, layer in enumerate(model.encoder.layers):
        found[f"encoder {number}"] = layer.self_attention.sublayer
    for number, layer in enumerate(model.decoder.layers):
        found[f"decoder {number}"] = layer.self_attention.sublayer
    for number, layer in enumerate(model.decoder.layers):
        found[f"cross {number}"] = layer.cross_attention.sublayer
    return found


def expected_lines(merged: np.ndarray) -> Expected:
    """Return the line to write in the notebook."""
    return Expected(without_head_2=with_zeros_of(merged, [2], n_heads=4))


def with_zeros_of(merged: np.ndarray, off: Sequence[int], n_heads: int) -> np.ndarray:
    """Return the results of all heads side by side (..., H d_v), with 0 for those that are off."""
    heads = merged.reshape(*merged.shape[:-1], n_heads, -1).copy()
    heads[..., list(off), :] = 0
    return heads.reshape(merged.shape)


def shares_of_heads(merged: np.ndarray, w_output: np.ndarray, n_heads: int) -> np.ndarray:
    """Return what each head adds to the result of an attention without biases.

    Arguments:
        merged: the results of all heads side by side (H d_v,)
        w_output: (H d_v, D)
        n_heads: H

    Returns: (H, D), a row for each head.
    """
    shares = []
    for head in range(n_heads):
        others = [other for other in range(n_heads) if other != head]
        shares.append(with_zeros_of(merged, others, n_heads) @ w_output)
    return np.array(shares)


@contextmanager
def heads_off(attention, off: Sequence[int]) -> Iterator[None]:
    """Inside a with block, the results of some heads of an attention are 0."""
    n_heads = attention.n_heads

    def without_heads(plain, merged):
        return plain(with_zeros_of(merged, off, n_heads))

    with wrap_methods([(attention.w_output, "forward", without_heads)]):
        yield


@contextmanager
def scores_times(attention, factor: float) -> Iterator[None]:
    """Inside a with block, the scores of an attention are multiplied; times 0 all are equal."""

    def scaled(plain, scores, mask=None):
        return plain(factor * scores, mask)

    with wrap_methods([(attention.attention.softmax, "forward", scaled)]):
        yield


@contextmanager
def values_reversed(attention) -> Iterator[None]:
    """Inside a with block, an attention gets the values of its words in reverse order."""

    def with_reversed(plain, query, key, value, mask=None):
        return plain(query, key, value[..., ::-1, :], mask)

    with wrap_methods([(attention.attention, "forward", with_reversed)]):
        yield


def probabilities_of_right(model: Transformer, batch: TranslationBatch) -> np.ndarray:
    """Return the probability of each right token of the first sentence of a batch (T,)."""
    with model.evaluating():
        logits = model.forward(batch.src, batch.tgt_in)[0].astype(float)
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    p = powers / powers.sum(-1, keepdims=True)
    return p[np.arange(len(p)), batch.tgt_out[0]]


def losses_with_scores_times(model: Transformer, batches: Batches, factor: float) -> dict:
    """Return the loss by the attention whose scores are multiplied, and of both of the encoder."""
    sublayers = attentions(model)
    losses = {}
    for name, attention in sublayers.items():
        with scores_times(attention, factor):
            losses[name] = mean_loss(model, batches)
        if name == "encoder 1":
            first = sublayers["encoder 0"]
            with scores_times(first, factor), scores_times(attention, factor):
                losses["encoder 0 and 1"] = mean_loss(model, batches)
    return losses


def losses_without_heads(model: Transformer, batches: Batches) -> np.ndarray:
    """Return the loss without each single head (6, H)."""
    rows = []
    for attention in attentions(model).values():
        row = []
        for head in range(attention.n_heads):
            with heads_off(attention, [head]):
                row.append(mean_loss(model, batches))
        rows.append(row)
    return np.array(rows)


def show_losses(loss: float, flat: dict, softer: dict):
    """Draw the losses with equal weights and with halved scores, beside that of the model."""
    figure, ax = new_figure(width=7.5, height=3.2)
    places = np.arange(len(flat))
    ax.barh(
        places - 0.2, list(flat.values()), 0.4, color=ORANGE, label="scores times 0: equal weights"
    )
    ax.barh(places + 0.2, list(softer.values()), 0.4, color=main_color(), label="scores times 0.5")
    ax.axvline(loss, color=GREY, linestyle="--", label="as trained")
    ax.set_yticks(places, list(flat))
    ax.invert_yaxis()
    ax.set(xlabel="held-out loss (nats)")
    ax.legend(fontsize=8)
    return figure
