"""The same work in jax.numpy. Weights have npformer's names and shapes; an update is one jitted function."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp

import npformer as npf
from npformer.layers.positional_encoding import sinusoids

BETA1, BETA2, EPS, SMOOTHING = 0.9, 0.98, 1e-9, 0.1


def part(weights: dict, name: str) -> dict:
    """Return the weights whose names begin with `name.`, without that beginning."""
    return {rest: w for full, w in weights.items() if (rest := full.removeprefix(f"{name}.")) != full}


def linear(weights, x):  # as one product of two matrices: XLA's way through three axes is slower
    return (x.reshape(-1, x.shape[-1]) @ weights["weight"] + weights["bias"]).reshape(*x.shape[:-1], -1)


def attention(weights, x, memory, mask, n_heads):
    def heads(name, x):  # (B, T, D) to (B, H, T, d_k)
        x = linear(part(weights, name), x)
        return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)

    query, key, value = heads("w_query", x), heads("w_key", memory), heads("w_value", memory)
    scores = query @ key.swapaxes(2, 3) / math.sqrt(query.shape[-1])  # (B, H, T, S)
    mixed = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)) @ value
    return linear(part(weights, "w_output"), mixed.swapaxes(1, 2).reshape(x.shape))


def feed_forward(weights, x):
    return linear(part(weights, "linear_2"), jax.nn.relu(linear(part(weights, "linear_1"), x)))


def layer_norm(weights, x, eps):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + eps) * weights["gain"] + weights["bias"]


def transformer(weights, src, tgt, config: npf.TransformerConfig, key):
    """Return the logits, (B, T, V); `key` draws what is dropped out."""
    keys = (jax.random.fold_in(key, i) for i in itertools.count())
    table = weights["encoder.tokens.embedding.table"]
    positions = jnp.asarray(sinusoids(config.max_len, config.d_model), jnp.float32)

    def dropout(x):
        if not config.dropout:
            return x
        return jnp.where(jax.random.bernoulli(next(keys), 1 - config.dropout, x.shape), x / (1 - config.dropout), 0)

    def embed(ids):
        return dropout(table[ids] * math.sqrt(config.d_model) + positions[: ids.shape[1]])

    def attend(layer, name, x, memory, mask):
        box = part(weights, f"{layer}.{name}")
        x = x + dropout(attention(part(box, "sublayer"), x, memory, mask, config.n_heads))
        return layer_norm(part(box, "norm"), x, config.layer_norm_eps)

    def think(layer, x):
        box = part(weights, f"{layer}.feed_forward")
        return layer_norm(part(box, "norm"), x + dropout(feed_forward(part(box, "sublayer"), x)), config.layer_norm_eps)

    src_mask = (src != 0)[:, None, None, :]
    tgt_mask = (tgt != 0)[:, None, None, :] & jnp.tri(tgt.shape[1], dtype=bool)
    memory, x = embed(src), embed(tgt)
    for layer in (f"encoder.layers.{n}" for n in range(config.n_encoder_layers)):
        memory = think(layer, attend(layer, "self_attention", memory, memory, src_mask))
    for layer in (f"decoder.layers.{n}" for n in range(config.n_decoder_layers)):
        x = attend(layer, "self_attention", x, x, tgt_mask)
        x = think(layer, attend(layer, "cross_attention", x, memory, src_mask))
    return x @ table.T


def smoothed_loss(weights, src, tgt_in, tgt_out, config, key):
    """Return the mean over real tokens of the cross-entropy with smoothed labels."""
    logits = transformer(weights, src, tgt_in, config, key)
    labels = (1 - SMOOTHING) * jax.nn.one_hot(tgt_out, logits.shape[-1]) + SMOOTHING / logits.shape[-1]
    losses = -(labels * jax.nn.log_softmax(logits)).sum(-1)  # (B, T)
    return jnp.where(tgt_out != 0, losses, 0).sum() / (tgt_out != 0).sum()


def beginning(arrays: dict) -> dict:
    """Return what an update takes and gives back: weights, Adam's moments, and the steps done."""
    weights = {name: jnp.array(array) for name, array in arrays.items()}
    m, v = ({name: jnp.zeros_like(w) for name, w in weights.items()} for _ in "mv")
    return {"weights": weights, "m": m, "v": v, "steps": jnp.zeros((), jnp.int32)}


def update(state, src, tgt_in, tgt_out, config, learning_rate):
    """Return the state after one step of Adam, and the loss before it."""
    steps = state["steps"] + 1
    key = jax.random.fold_in(jax.random.key(0), steps)
    loss, g = jax.value_and_grad(smoothed_loss)(state["weights"], src, tgt_in, tgt_out, config, key)
    m = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, state["m"], g)
    v = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, state["v"], g)
    rate, root = learning_rate(steps) / (1 - BETA1**steps), jnp.sqrt(1 - BETA2**steps)
    weights = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) / root + EPS), state["weights"], m, v)
    return {"weights": weights, "m": m, "v": v, "steps": steps}, loss
