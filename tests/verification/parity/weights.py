"""Which weight of npformer is which of PyTorch: one list of pairs to copy weights and to compare
gradients.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from npformer.module import Parameter

torch = pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')


@dataclass(frozen=True)
class Pair:
    """A Parameter of ours and the tensor that holds the same numbers; `view` shows the tensor in
    our layout.
    """

    ours: Parameter
    theirs: "torch.nn.Parameter"
    view: Callable = lambda tensor: tensor


def copy_weights(pairs):
    """Copy our values into the tensors, and return the pairs as a list."""
    pairs = list(pairs)
    for pair in pairs:
        pair.view(pair.theirs.data).copy_(torch.from_numpy(pair.ours.data))
    return pairs


def linear(ours, theirs):
    """Pair two Linears: (in, out) here, (out, in) there."""
    yield Pair(ours.weight, theirs.weight, lambda tensor: tensor.T)
    if ours.bias is not None:
        yield Pair(ours.bias, theirs.bias)


def layer_norm(ours, theirs):
    """Pair two LayerNorms."""
    yield Pair(ours.gain, theirs.weight)
    yield Pair(ours.bias, theirs.bias)


def attention(ours, theirs):
    """Pair two MultiHeadAttentions:

    PyTorch stacks the query's, key's and value's projections row upon row.
    """
    for i, projection in enumerate((ours.w_query, ours.w_key, ours.w_value)):
        rows = slice(i * theirs.embed_dim, (i + 1) * theirs.embed_dim)
        yield Pair(
            projection.weight, theirs.in_proj_weight, lambda tensor, rows=rows: tensor[rows].T
        )
        if projection.bias is not None:
            yield Pair(projection.bias, theirs.in_proj_bias, lambda tensor, rows=rows: tensor[rows])
    yield from linear(ours.w_output, theirs.out_proj)


def feed_forward(ours, theirs):
    """Pair a FeedForward with the two Linears of an encoder or decoder layer."""
    yield from linear(ours.linear_1, theirs.linear1)
    yield from linear(ours.linear_2, theirs.linear2)


def lstm(ours, theirs, suffix=""):
    """Pair an LSTM with one direction of PyTorch's; there two biases are added, and the second is
    set to zero.
    """
    yield Pair(
        ours.w_input.weight, getattr(theirs, f"weight_ih_l0{suffix}"), lambda tensor: tensor.T
    )
    yield Pair(ours.w_input.bias, getattr(theirs, f"bias_ih_l0{suffix}"))
    yield Pair(ours.w_hidden, getattr(theirs, f"weight_hh_l0{suffix}"), lambda tensor: tensor.T)
    getattr(theirs, f"bias_hh_l0{suffix}").data.zero_()


def bidirectional(ours, theirs):
    """Pair a BidirectionalLSTM with PyTorch's."""
    yield from lstm(ours.rightward, theirs)
    yield from lstm(ours.leftward, theirs, "_reverse")


def encoder_layer(ours, theirs):
    """Pair two encoder layers."""
    yield from attention(ours.self_attention.sublayer, theirs.self_attn)
    yield from layer_norm(ours.self_attention.norm, theirs.norm1)
    yield from feed_forward(ours.feed_forward.sublayer, theirs)
    yield from layer_norm(ours.feed_forward.norm, theirs.norm2)


def decoder_layer(ours, theirs):
    """Pair two decoder layers."""
    yield from attention(ours.self_attention.sublayer, theirs.self_attn)
    yield from layer_norm(ours.self_attention.norm, theirs.norm1)
    yield from attention(ours.cross_attention.sublayer, theirs.multihead_attn)
    yield from layer_norm(ours.cross_attention.norm, theirs.norm2)
    yield from feed_forward(ours.feed_forward.sublayer, theirs)
    yield from layer_norm(ours.feed_forward.norm, theirs.norm3)


def column(layer_pairs, ours, theirs):
    """Pair two stacks of layers, and the LayerNorm that ends them where there is one."""
    for our_layer, their_layer in zip(ours.layers, theirs.layers, strict=True):
        yield from layer_pairs(our_layer, their_layer)
    if ours.norm:
        yield from layer_norm(ours.norm, theirs.norm)


def transformer(ours, theirs):
    """Pair a Transformer with a TorchTransformer; a shared table makes one pair."""
    tables = (
        Pair(ours.encoder.input_embedding.embedding.table, theirs.src_table),
        Pair(ours.decoder.input_embedding.embedding.table, theirs.tgt_table),
        Pair(ours.generator.table, theirs.generator_table),
    )
    yield from {id(pair.ours): pair for pair in tables}.values()
    if ours.config.positions == "learned":
        yield Pair(ours.encoder.input_embedding.positions.table, theirs.src_positions)
        yield Pair(ours.decoder.input_embedding.positions.table, theirs.tgt_positions)
    if ours.config.generator_bias:
        yield Pair(ours.generator.bias, theirs.generator_bias)
    if ours.config.embedding_norm:
        yield from layer_norm(ours.encoder.input_embedding.norm, theirs.src_norm)
        yield from layer_norm(ours.decoder.input_embedding.norm, theirs.tgt_norm)
    yield from column(encoder_layer, ours.encoder, theirs.core.encoder)
    yield from column(decoder_layer, ours.decoder, theirs.core.decoder)


def classifier(ours, theirs):
    """Pair a Classifier with a TorchClassifier."""
    yield Pair(ours.encoder.input_embedding.embedding.table, theirs.table)
    if ours.config.positions == "learned":
        yield Pair(ours.encoder.input_embedding.positions.table, theirs.positions)
    yield from column(encoder_layer, ours.encoder, theirs.encoder)
    yield from linear(ours.output, theirs.output)
