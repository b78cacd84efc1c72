"""Language modeling: batches, vocabulary and scores of running text."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..evaluation import LanguageModelScores
from ..layers.hyperparameter_checks import check_sizes
from ..models import LanguageModelConfig
from ..text import PAD, BaseVocabulary, check_list, pad
from ..utils import InputError
from .batches import Batch, EpochBatches, check_ids
from .objective import mean_loss
from .predictor import BATCH_TOKENS
from .task import Task, build_text_vocabulary
from .text_generator import TextGenerator

__all__ = ["LanguageModelBatch", "LanguageModelTask", "TextChunks"]


IGNORED = -100  # a target that does not count, as in PyTorch: no id, because 0 can be a token


@dataclass(eq=False)
class LanguageModelBatch(Batch):
    """Padded ids of chunks of text; the targets of padding are -100.

    Arguments:
        ids: what the model reads, (B, T).
        next_ids: the ids one step later, which it is to predict, (B, T).

    >>> batch = LanguageModelBatch.collate([[4, 5, 6], [7, 8]])
    >>> batch.ids.tolist(), batch.targets.tolist(), batch.n_tokens
    ([[4, 5], [7, 0]], [[5, 6], [8, -100]], 3)
    """

    pad_id = IGNORED
    ids: np.ndarray
    next_ids: np.ndarray

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return (self.ids,)

    @property
    def targets(self) -> np.ndarray:
        """The ids that it is to predict."""
        return self.next_ids

    @classmethod
    def collate(cls, chunks: Sequence[Sequence[int]]) -> "LanguageModelBatch":
        """Make a batch of chunks of two or more ids."""
        inputs = []
        targets = []
        for chunk in chunks:
            inputs.append(chunk[:-1])
            targets.append(chunk[1:])
        return cls(pad(inputs, PAD), pad(targets, IGNORED))


class TextChunks:
    """Cut a running text into chunks, and these into batches.

    In every epoch the text is cut at other places and the chunks come in another order; both depend
    only on the seed and the number of the epoch. `for batch in chunks` yields the batches of the
    first epoch, and `len(chunks)` is their number.

    Arguments:
        ids: the text.
        length: the number of tokens of a chunk.
        batch_tokens: the largest number of tokens of a batch.
        seed: another seed gives other batches.
        shuffle: False: the text is cut from its beginning, in order, in every epoch.
        pad_id: the config's `pad_id`, which no token of the text has; None: any id is a token.

    Raises `InputError` when a text has fewer than two tokens, or an id is not an integer above
    `pad_id`.

    >>> text = TextChunks(range(4, 14), length=4, batch_tokens=8, shuffle=False)
    >>> [batch.ids.tolist() for batch in text.epoch(1)]
    [[[4, 5, 6, 7], [8, 9, 10, 11]], [[12]]]
    """

    def __init__(
        self,
        ids: Sequence[int],
        *,
        length: int,
        batch_tokens: int,
        seed: int = 0,
        shuffle: bool = True,
        pad_id: int | None = PAD,
    ):
        self.ids = np.asarray(ids)
        if self.ids.ndim != 1 or len(self.ids) < 2:
            raise InputError(
                f"the text has {self.ids.size} tokens: "
                "expected two or more, one to predict the next from"
            )
        check_ids(self.ids, pad_id)
        check_sizes(length=length, batch_tokens=batch_tokens)
        self.length = length
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.shuffle = shuffle

    def __len__(self):
        return len(self.epoch(1))

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.epoch(1))

    def epoch(self, number: int) -> EpochBatches:
        """Return the batches of an epoch, counted from 1."""
        last = len(self.ids) - 1  # the last token is predicted, and predicts none
        starts = np.arange(0, last, self.length)
        if self.shuffle:
            rng = np.random.default_rng([self.seed, number])
            # from a random place on; what is before it is not read in this epoch
            starts = np.arange(rng.integers(min(self.length, last)), last, self.length)
            starts = starts[rng.permutation(len(starts))]

        # neighboring chunks share a token, which one predicts and the next one reads
        chunks = []
        lengths = []
        for start in starts:
            chunk = self.ids[start : start + self.length + 1]
            chunks.append(chunk)
            lengths.append([len(chunk) - 1])

        n_rows = max(self.batch_tokens // self.length, 1)
        groups = []
        for first in range(0, len(chunks), n_rows):
            groups.append(range(first, min(first + n_rows, len(chunks))))
        return EpochBatches(chunks, LanguageModelBatch.collate, groups, np.array(lengths))

    @cached_property
    def checksum(self) -> str:
        """A checksum of everything that decides the batches and their order."""
        settings = (self.length, self.batch_tokens, self.seed, self.shuffle)
        return hashlib.sha256(repr(settings).encode() + self.ids.tobytes()).hexdigest()


class LanguageModelTask(Task):
    """Documents to a TextGenerator."""

    name = "language_model"
    predictor = TextGenerator

    def build_vocabularies(
        self, examples: Sequence[str], settings: Any, model_settings: dict
    ) -> tuple:
        """Return the vocabulary of the documents."""
        vocabulary = build_text_vocabulary(
            examples, settings, lowercase=settings.lowercase != "none", running=True
        )
        return (vocabulary,)

    def make_batches(
        self,
        examples: Sequence[str],
        vocabularies: tuple,
        config: LanguageModelConfig,
        settings: Any,
        *,
        held_out: bool = False,
    ) -> tuple[TextChunks, int]:
        """Return the text in chunks of max_len tokens; nothing is left out."""
        [vocabulary] = vocabularies
        chunks = TextChunks(
            _running_ids(examples, vocabulary),
            length=config.max_len,
            batch_tokens=settings.batch_tokens,
            seed=settings.seed,
            shuffle=not held_out,
            pad_id=config.pad_id,
        )
        return chunks, 0

    def evaluate(
        self,
        predictor: TextGenerator,
        examples: Sequence[str],
        *,
        batch_tokens: int = BATCH_TOKENS,
    ) -> LanguageModelScores:
        """Predict every token of the documents but the first, max_len tokens at a time.

        A chunk of max_len tokens begins without knowledge of what came before it.

        Arguments:
            predictor: the TextGenerator.
            examples: the documents.
            batch_tokens: how many tokens are read at a time, about.
        """
        vocabulary = predictor.text
        ids = _running_ids(examples, vocabulary)
        config = predictor.model.config
        chunks = TextChunks(
            ids,
            length=config.max_len,
            batch_tokens=batch_tokens,
            shuffle=False,
            pad_id=config.pad_id,
        )

        documents = [vocabulary.normalize(document) for document in examples]
        if vocabulary.tokenizer in ("word", "ids"):
            # no token says how much white space there is between two of them
            documents = [" ".join(document.split()) for document in documents]
        # the first token is not predicted; of an empty document it is the <eos>
        spans = vocabulary.spans(documents[0])
        first_end = spans[0][1] if spans else 0
        n_characters = sum(len(document) for document in documents) - first_end
        # <unk> is easy to predict where many tokens are unknown, so their number is a score too
        n_unknown = ids[1:].count(vocabulary.unk_id) if vocabulary.unk_id is not None else 0
        return LanguageModelScores(
            tokens=len(ids) - 1,
            characters=n_characters,
            unknown=n_unknown,
            loss=mean_loss(predictor.model, chunks),
        )


def _running_ids(documents: Sequence[str], vocabulary: BaseVocabulary) -> list[int]:
    """Return the ids of documents one after another, an <eos> between two if there is one."""
    check_list(documents, "documents")
    ids: list[int] = []
    for number, document in enumerate(documents):
        if number > 0 and vocabulary.eos_id is not None:
            ids.append(vocabulary.eos_id)
        ids += vocabulary.encode(document)
    return ids
