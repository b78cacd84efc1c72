"""Schematics: the picture of the idea that opens a notebook, drawn as SVG."""

from .attention import attention
from .softmax_and_scale import softmax_and_scale
from .translator_at_work import translator_at_work

__all__ = [
    "attention",
    "softmax_and_scale",
    "translator_at_work",
]
