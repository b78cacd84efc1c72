"""Bugs of embeddings, positions, dropout and the linear maps."""

from functools import partial

import test_kv_cache as cached
import test_reference as reference
import test_whole_model as whole

from npformer.layers import (
    Dropout,
    Embedding,
    Generator,
    LearnedPositionalEncoding,
    Linear,
    ReLU,
    SinusoidalPositionalEncoding,
    positional_encoding,
)
from npformer.models import Transformer
from npformer.models.embeddings import InputEmbedding

from .plant import bug, gradients

PAPER = gradients("Transformer as in the paper", 1)
EVERY_STEP = partial(cached.test_cached_step_equals_whole_prefix, dtype="float64", src=cached.SRC)

TABLES = [
    bug(
        "Embedding.backward: repeated ids lost",
        gradients("Embedding"),
        (
            Embedding,
            "backward",
            "scatter_add(self.table.grad, ids.reshape(-1), ",
            "self.table.grad[ids.reshape(-1)] += drows  # (",
        ),
    ),
    bug(
        "Embedding.backward: no sqrt(d_model)",
        gradients("Embedding"),
        (Embedding, "backward", "flatten_positions(dy) * self.scale", "flatten_positions(dy)"),
    ),
    bug(
        "Embedding: no sqrt(d_model) in either direction",
        reference.test_embedding_generator_and_positions,
        (Embedding, "__init__", "math.sqrt(d_model)", "1.0"),
    ),
    bug(
        "tied table: the embedding's side of the gradient missing",
        PAPER,
        (
            Embedding,
            "backward",
            "scatter_add(self.table.grad, ",
            "scatter_add(self.table.grad * 0, ",
        ),
    ),
    bug(
        "tied table: the generator's side of the gradient missing",
        PAPER,
        (
            Generator,
            "backward",
            "self.table.grad += flatten_positions(dlogits).T @ flatten_positions(x)",
            "",
        ),
    ),
    bug(
        "tied table: one array, but a gradient for each user",
        PAPER,
        (Embedding, "__init__", "self.table = table", "self.table = Parameter(table.data)"),
    ),
    bug(
        "tied table: the target's embedding is a copy",
        partial(whole.test_tied_tables_are_one_parameter, "all", 1),
        (
            Transformer,
            "__init__",
            'table=source.table if config.tie == "all" else None',
            "table=None",
        ),
    ),
    bug(
        "learned positions: only the gradient of the last sentence",
        gradients("LearnedPositionalEncoding"),
        (LearnedPositionalEncoding, "backward", ".sum(0)", "[-1]"),
    ),
    bug(
        "sinusoids: the exponent is i / d_model, not 2i / d_model",
        reference.test_embedding_generator_and_positions,
        (positional_encoding, "sinusoids", "np.arange(0, d_model, 2)", "np.arange(d_model // 2)"),
    ),
    bug(
        "learned positions: the first rows wherever a part begins",
        partial(EVERY_STEP, {"positions": "learned"}),
        (
            LearnedPositionalEncoding,
            "forward",
            "table.data[start:end]",
            "table.data[: x.shape[-2]]",
        ),
    ),
    bug(
        "sinusoids: the first positions wherever a part begins",
        partial(EVERY_STEP, {}),
        (
            SinusoidalPositionalEncoding,
            "forward",
            "self.table[start:end]",
            "self.table[: x.shape[-2]]",
        ),
    ),
    bug(
        "embedded tokens: the start of the positions forgotten",
        partial(EVERY_STEP, {}),
        (InputEmbedding, "forward", ", start)", ")"),
    ),
    bug(
        "Dropout.backward: no 1 / (1 - p)",
        gradients("Dropout"),
        (Dropout, "backward", "dy * scale", "dy * scale * (1 - self.p)"),
    ),
    bug(
        "Dropout: no 1 / (1 - p) in either direction",
        reference.test_dropout,
        (Dropout, "forward", "scale *= 1 / (1 - self.p)", ""),
    ),
    bug(
        "Dropout.backward: a mask drawn again",
        gradients("Dropout"),
        (
            Dropout,
            "backward",
            "dy * scale",
            "dy * dropout_mask(self.rng, dy.shape, self.p) / (1 - self.p)",
        ),
    ),
    bug(
        "Linear.backward: bias without a gradient",
        gradients("Linear"),
        (Linear, "backward", "self.bias.grad += column_sum(dy)", "pass"),
    ),
    bug(
        "Linear.backward: the weight not transposed",
        gradients("PostNorm around CrossAttention"),
        (Linear, "backward", "self.weight.data.T", "self.weight.data"),
    ),
    bug(
        "ReLU.backward: lets the gradient of negative values through",
        gradients("ReLU"),
        (ReLU, "backward", "y > 0", "y >= 0"),
    ),
]
