"""Runs of language modelling."""

from collections.abc import Sequence

from ...decoding import TextGenerator
from ...evaluation import LanguageModelScores, evaluate_text
from ...models import LanguageModelConfig
from ...tasks import TextChunks
from ...text import AnyVocabulary, running_ids
from .job import Job


class LanguageModelJob(Job):
    """Documents to a TextGenerator."""

    task = "language_model"

    def vocabularies(self, examples: Sequence[str], model: dict) -> tuple[AnyVocabulary]:
        """Return the vocabulary of the text."""
        running = {} if self.settings.unit == "subwords" else {"running": True}
        return (self.text_vocabulary(examples, **running),)

    def batches(
        self, examples: Sequence[str], vocabularies: tuple, config: LanguageModelConfig, *, held_out=False
    ) -> tuple[TextChunks, int]:
        """Return the text in chunks of max_len tokens, the held-out one in its order; nothing is left out."""
        sizes = {"length": config.max_len, "batch_tokens": self.settings.batch_tokens, "seed": self.settings.seed}
        return TextChunks(running_ids(examples, vocabularies[0]), shuffle=not held_out, **sizes), 0

    def evaluate(self, learnt: TextGenerator, held_out: Sequence[str], **how) -> LanguageModelScores:
        """Foresee documents and score that; arguments as in `evaluation.evaluate_text`."""
        return evaluate_text(learnt, held_out, **how)

    def example(self, vocabularies: tuple, held_out: Sequence[str], config: LanguageModelConfig) -> str:
        """Return the first line of the held-out text that is not blank, no more than is read at once."""
        lines = (line for document in held_out for line in document.splitlines())
        return next(line for line in lines if line.strip())[: config.max_len]
