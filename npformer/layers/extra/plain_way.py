"""Having attention by blocks go the plain way for a while, or not."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...module import Module
from .flash_attention import FlashAttention


def blockwise_in(module: Module) -> list[FlashAttention]:
    """Return all such attentions in a module."""
    return [inside for _, inside in module.named_modules() if isinstance(inside, FlashAttention)]


@contextmanager
def going_plain(attentions: list[FlashAttention], below: list[int]) -> Iterator[None]:
    """Have each go the plain way for fewer queries than these in a with block, whatever its `plain_below` is.

    >>> attention = FlashAttention(plain_below=9)
    >>> with going_plain([attention], [1]):
    ...     print(attention.plain_below)
    1
    >>> attention.plain_below
    9
    """
    before = [attention.plain_below for attention in attentions]
    try:
        for attention, length in zip(attentions, below, strict=True):
            attention.plain_below = length
        yield
    finally:
        for attention, length in zip(attentions, before, strict=True):
            attention.plain_below = length
