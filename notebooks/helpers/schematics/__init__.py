"""Schematics: the picture of the idea that opens a notebook, drawn as SVG."""

from .attention import attention
from .build_it import build_it
from .embedding_and_positions import embedding_and_positions
from .encoder_layer import encoder_layer
from .many_heads import many_heads
from .masks import masks
from .softmax_and_scale import softmax_and_scale
from .translator_at_work import translator_at_work

__all__ = [
    "attention",
    "build_it",
    "embedding_and_positions",
    "encoder_layer",
    "many_heads",
    "masks",
    "softmax_and_scale",
    "translator_at_work",
]
