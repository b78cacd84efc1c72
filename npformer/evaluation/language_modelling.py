"""How well a language model foresees a text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..decoding import TextGenerator
from ..decoding.batching import BATCH_TOKENS
from ..tasks import TextChunks
from ..text import n_characters, running_ids
from ..training.alone import Alone
from ..utils import InputError
from .metrics import mean_loss, perplexity


class LanguageModelScores(NamedTuple):
    """The loss per token of a text, in nats, and how many tokens and characters were foreseen: all but the first."""

    tokens: int
    characters: int
    loss: float

    @property
    def perplexity(self) -> float:
        """Among how many equally likely tokens the model would be as unsure: exp of the loss."""
        return perplexity(self.loss)

    @property
    def bits_per_character(self) -> float:
        """How many bits the text would take, coded by the model, for each of its characters."""
        return self.loss * self.tokens / math.log(2) / max(self.characters, 1)

    def table(self) -> str:
        """The scores in a few lines."""
        lines = [
            f"text          {self.tokens:,} tokens to be foreseen, {self.characters:,} characters",
            f"loss          {self.loss:.4f}  nats per token, perplexity {self.perplexity:.3f}",
            f"bits          {self.bits_per_character:.4f}  per character",
        ]
        return "\n".join(lines)


def evaluate_text(
    writer: TextGenerator, documents: Sequence[str], *, batch_tokens: int = BATCH_TOKENS, ranks: Alone | None = None
) -> LanguageModelScores:
    """Have a language model foresee every token of a text but the first, max_len tokens at a time.

    A stretch of max_len tokens begins without knowing what came before it. `ranks`, where given, share the chunks.

    Raises `InputError` when the text has fewer than two tokens.
    """
    ids = running_ids(documents, writer.text)
    if len(ids) < 2:
        raise InputError(f"the text has {len(ids)} tokens: expected two or more, one to foresee the next from")
    chunks = TextChunks(ids, length=writer.model.config.max_len, batch_tokens=batch_tokens, shuffle=False)
    return LanguageModelScores(
        len(ids) - 1, n_characters(documents, writer.text), mean_loss(writer.model, chunks, ranks=ranks)
    )
