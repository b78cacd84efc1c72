"""Sentence pairs with their ids, and which of them are short enough."""

from collections.abc import Iterable
from typing import NamedTuple

from ..base import InputError
from ..datasets import SentencePair
from ..text import AnyVocabulary, fits


class EncodedPair(NamedTuple):
    """A sentence pair and the ids of both sides, without special tokens."""

    pair: SentencePair
    src: list[int]
    tgt: list[int]


def encode_pairs(pairs: Iterable[SentencePair], source: AnyVocabulary, target: AnyVocabulary) -> list[EncodedPair]:
    """Return the pairs with their ids."""
    return [EncodedPair(pair, source.encode(pair.source), target.encode(pair.target)) for pair in pairs]


def usable_pairs(encoded: list[EncodedPair], *, longest: int, what: str) -> list[EncodedPair]:
    """Return the pairs that have no empty side and, with <eos>, at most `longest` tokens on a side.

    Raises `InputError`, which calls the pairs `what`, when none is left.
    """
    usable = [pair for pair in encoded if fits(pair.src, longest) and fits(pair.tgt, longest)]
    if not usable:
        raise InputError(
            f"none of the {what} pairs can be used ({len(encoded)} there are): each has an empty side, or more than "
            f"{longest} tokens with <eos> on one, the smaller of max_len and batch_tokens"
        )
    return usable
