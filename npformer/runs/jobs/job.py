"""What every job has: the settings of its training, and how a text becomes a vocabulary."""

import math
from collections.abc import Iterable, Iterator, Sequence

from ...models import StackConfig
from ...text import AnyVocabulary, SubwordVocabulary, Vocabulary, fits
from ...text.vocabulary import SPECIALS
from ..settings import TrainingSettings

MANY = 4  # workers a core, in a process that is alone
EXAMPLES = 10  # an example is the longest of so many held-out texts


class Job:
    """A kind of run. Each has `task`, and the methods below, of which these are what all tasks share.

    `vocabularies` are those of the task's sides, in their order; examples are what the data set's parts hold.
    """

    task: str

    def __init__(self, settings: TrainingSettings):
        self.settings = settings

    def vocabularies(self, examples: Sequence, model: dict) -> tuple:
        """Return a vocabulary for each side, of examples to train on, for a model with these settings."""
        raise NotImplementedError

    def batches(self, examples: Sequence, vocabularies: tuple, config: StackConfig, *, held_out: bool = False):
        """Return the batches of all usable examples, held-out ones without dropout, and how many were left out.

        `config` is that of the model which reads them.
        """
        raise NotImplementedError

    def evaluate(self, learnt, held_out: Sequence, **how):
        """Return the scores of what was learnt on held-out examples."""
        raise NotImplementedError

    def example(self, vocabularies: tuple, held_out: Sequence, config: StackConfig) -> str:
        """Return a held-out text to try with what was learnt."""
        raise NotImplementedError

    def draw(self, learnt, held_out: Sequence, folder) -> None:
        """Draw what the task has to show, besides the curves of the loss, into a run folder."""

    def odd_settings(self, vocabularies: tuple, batches, *, cores: int, n_ranks: int) -> Iterator[str]:
        """Yield a line for each setting that can be worked with, but hardly is what was meant.

        It is meant for so many cores, in each of so many ranks.
        """
        updates = self.settings.epochs * math.ceil(len(batches.epoch(1)) / self.settings.accumulate)
        if 2 * updates < self.settings.warmup_steps:
            rises = f"the learning rate rises for warmup_steps = {self.settings.warmup_steps} updates"
            yield f"{rises}, and there are but {updates} in all: lower it, or batch_tokens, or take more epochs"
        for side, vocabulary in self.text_sides(vocabularies).items():
            if len(vocabulary) == len(SPECIALS):
                none_left = f"min_count = {self.settings.min_count} leaves no token of the {side} side"
                yield f"{none_left}, and all is read as <unk>: lower it"
        if self.settings.workers > cores * (MANY if n_ranks == 1 else 1):
            whose = "" if n_ranks == 1 else f" in each of {n_ranks} ranks"
            came = f"workers = {self.settings.workers} are many for {cores} core{'s'[: cores > 1]}{whose}"
            yield f"{came}: one a core is what helps"

    def longest_usable(self, texts: Iterable[str], vocabulary: AnyVocabulary, config: StackConfig) -> str:
        """Return the longest of the first ten texts that a model can read."""
        usable = (text for text in texts if fits(vocabulary.encode(text), config.max_len, config.source_marks))
        return max((text for text, _ in zip(usable, range(EXAMPLES), strict=False)), key=len)

    def text_sides(self, vocabularies: tuple) -> dict[str, AnyVocabulary]:
        """Return the vocabularies of text by the names of their sides."""
        return {"text": vocabularies[0]}

    def text_vocabulary(self, texts: Iterable[str], **how: bool) -> AnyVocabulary:
        """Return the vocabulary of the one text that is read."""
        settings = self.settings
        if settings.unit == "subwords":
            return SubwordVocabulary.build(texts, size=settings.vocab_size)
        how |= {"lowercase": settings.lowercase != "none"}
        return Vocabulary.build(texts, unit=settings.unit, min_count=settings.min_count, **how)
