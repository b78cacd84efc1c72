"""The scores of a language model: perplexity and bits per character."""

import math
from typing import NamedTuple


def perplexity(loss: float) -> float:
    """Return exp of a loss in nats, infinite if no float is as large."""
    return math.exp(loss) if loss < 700 else math.inf


class LanguageModelScores(NamedTuple):
    """The loss per token of a text, in nats, and the number of tokens and characters predicted: all but the first."""

    tokens: int
    characters: int
    loss: float

    @property
    def perplexity(self) -> float:
        """The number of equally probable tokens among which the model would be as unsure: exp of the loss."""
        return perplexity(self.loss)

    @property
    def bits_per_character(self) -> float:
        """The number of bits per character that the text would take, coded by the model."""
        return self.loss * self.tokens / math.log(2) / max(self.characters, 1)

    def table(self) -> str:
        """The scores in a few lines."""
        return (
            f"text          {self.tokens:,} tokens to predict, {self.characters:,} characters\n"
            f"loss          {self.loss:.4f}  nats per token, perplexity {self.perplexity:.3f}\n"
            f"bits          {self.bits_per_character:.4f}  per character"
        )

    def examples(self, number: int) -> str:
        """Nothing: a running text has no examples."""
        return ""
