"""The scores of a language model: perplexity and bits per character."""

import math
from typing import NamedTuple

__all__ = ["LanguageModelScores", "perplexity"]

_LARGEST_EXPONENT = 700  # close to that of the largest float


def perplexity(loss: float) -> float:
    """Return exp of a loss in nats, infinite if no float is as large.

    >>> perplexity(0.0), perplexity(1000.0)
    (1.0, inf)
    """
    return math.inf if loss >= _LARGEST_EXPONENT else math.exp(loss)


class LanguageModelScores(NamedTuple):
    """How well a language model predicts a text.

    tokens, characters: how many were predicted, all but the first. White space between tokens that
        are words or ids counts as one space.
    unknown: how many of the tokens are unknown; they are read, and predicted, as <unk>.
    loss: the mean loss per token, in nats.
    """

    tokens: int
    characters: int
    unknown: int
    loss: float

    @property
    def perplexity(self) -> float:
        """The number of equally probable tokens that would be as hard to predict: exp(loss)."""
        return perplexity(self.loss)

    @property
    def bits_per_character(self) -> float:
        """The number of bits per character that the text would take, coded by the model.

        NaN if tokens are unknown: <unk> does not say which character or word it replaces, so the
        text cannot be decoded.
        """
        if self.unknown:
            return math.nan
        return self.loss * self.tokens / math.log(2) / max(self.characters, 1)

    def table(self) -> str:
        """The scores in a few lines."""
        bits = f"{self.bits_per_character:.4f}  per character"
        if self.unknown:
            share = 100 * self.unknown / self.tokens
            bits = (
                f"none: {self.unknown:,} of {self.tokens:,} tokens ({share:.1f}%) are unknown, "
                "read as <unk>"
            )
        return (
            f"text          {self.tokens:,} tokens to predict, {self.characters:,} characters\n"
            f"loss          {self.loss:.4f}  nats per token, perplexity {self.perplexity:.3f}\n"
            f"bits          {bits}"
        )

    def examples(self, number: int) -> str:
        """Nothing: a running text has no examples."""
        return ""
