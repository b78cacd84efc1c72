"""A Transformer whose sinusoids are exchanged for rotary positions."""

from typing import Any

from npformer import Transformer
from npformer.layers import RotaryAttention
from npformer.module import Module


class _NoPositions(Module):
    """Return x as it is."""

    def forward(self, x, start: int = 0):  # (B, T, D)
        return self.remember(x)

    def backward(self, dy):  # (B, T, D)
        self.recall(dy)
        return dy


def use_rotary_positions(model: Transformer) -> None:
    """Let self-attention turn queries and keys, and add no positions to the words.

    Cross-attention stays as it is: a distance between a word of the source and one of the target
    has no meaning.
    """
    config = model.config
    d_k = config.d_k or config.d_model // config.n_heads
    stacks: list[Any] = [model.encoder, model.decoder]
    for stack in stacks:
        stack.input_embedding.positions = _NoPositions()
        for layer in stack.layers:
            heads = layer.self_attention.sublayer
            heads.attention = RotaryAttention(
                d_k, causal=heads.attention.causal, max_len=config.max_len, dtype=config.dtype
            )
