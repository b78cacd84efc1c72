"""Batches of sentences of similar length: paper section 5.1."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..models import TransformerConfig
from ..text import BOS, PAD, marked, pad
from ..utils import InputError

Example = tuple  # what a batch class collates, such as the ids of a source and of its target


class Batch:
    """Padded arrays, a row per example. A subclass is a dataclass of them.

    It has `inputs`, the tuple of arrays that the model reads; `targets`, the ids or classes that it is to predict; and
    `collate(examples)`, which makes a batch. `extra` is the number of special tokens that each text of an example gets.
    """

    extra: tuple[int, ...] = (1,)
    inputs: tuple
    targets: np.ndarray

    @property
    def n_tokens(self) -> int:
        """The number of real targets, without padding."""
        return int((self.targets != PAD).sum())

    @classmethod
    def lengths(cls, example: Example) -> list[int]:
        """Return the number of tokens of each text of an example in a batch."""
        return [len(ids) + n for ids, n in zip(example, cls.extra, strict=False)]

    def split(self, n: int) -> list:
        """Return n batches that share the rows, or as many as there are rows."""
        n = min(n, len(self.targets))
        return [type(self)(*(array[i::n] for array in vars(self).values())) for i in range(n)]


@dataclass(eq=False)
class TranslationBatch(Batch):
    """Padded ids: src (B, S) ends in <eos>; tgt_in (B, T) starts with <bos>; tgt_out (B, T) is tgt_in one step later.

    `TranslationBatch.of_model(config)` makes the batches for a model with another start token or other source marks.

    >>> batch = TranslationBatch.of([[4, 5], [6]], [[7], [8, 9]])
    >>> batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist(), batch.n_tokens
    ([[4, 5, 3], [6, 3, 0]], [[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]], 5)
    """

    src: np.ndarray
    tgt_in: np.ndarray
    tgt_out: np.ndarray

    extra = (1, 1)
    start_id = BOS
    source_marks = "eos"

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return self.src, self.tgt_in

    @property
    def targets(self) -> np.ndarray:
        """The ids that it is to predict."""
        return self.tgt_out

    @classmethod
    def of_model(cls, config: TransformerConfig) -> type["TranslationBatch"]:
        """Return the class that makes the batches for a model with this config."""

        class OfModel(cls):
            extra = len(marked([], config.source_marks)), 1
            start_id, source_marks = config.start_id, config.source_marks

        return OfModel

    @classmethod
    def of(cls, sources, targets) -> "TranslationBatch":
        """Make a batch of lists of ids without special tokens."""
        src = pad([marked(ids, cls.source_marks) for ids in sources], PAD)
        tgt_in = pad([[cls.start_id, *ids] for ids in targets], PAD)
        return TranslationBatch(src, tgt_in, pad([marked(ids) for ids in targets], PAD))

    @classmethod
    def collate(cls, pairs) -> "TranslationBatch":
        """Make a batch of pairs of ids."""
        return cls.of([source for source, _ in pairs], [target for _, target in pairs])


class EpochBatches:
    """The batches of one epoch. Its length is the number of batches.

    `groups` has the numbers of each batch's examples, `lengths` (examples, sides) their numbers of tokens.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        kind: type[Batch],
        groups: Sequence[Sequence[int]],
        lengths,
    ):
        self.examples, self.kind, self.groups, self.lengths = examples, kind, groups, lengths

    def __len__(self):
        return len(self.groups)

    def __iter__(self) -> Iterator[Batch]:
        return self.batches()

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Yield the batches from number `start` on."""
        for group in self.groups[start:]:
            yield self.kind.collate([self.examples[i] for i in group])

    @property
    def padding_share(self) -> float:
        """The share of all positions that are padding."""
        positions = sum(
            self.lengths[list(group)].max(0).sum() * len(group) for group in self.groups
        )
        return 1 - float(self.lengths.sum() / positions)


class Batches:
    """Cut examples, such as (source ids, target ids), into batches of at most `batch_tokens` tokens on each side.

    Examples of similar length are in one batch, so that little is padding; a longer one is a batch of its own. The
    batches and their order change with each epoch, and depend on the seed and the epoch's number alone. `kind` is the
    class of the batches. `recut(epoch)`, if given, returns the examples as that epoch reads them. The length is the
    number of examples.

    Raises `InputError` when there are no examples, or an id is not a whole number above that of padding.

    >>> cut = Batches([([4, 5], [6]), ([7], [8, 9, 4])], batch_tokens=16).epoch(1)
    >>> [batch.src.shape for batch in cut], len(cut), round(cut.padding_share, 2)
    ([(2, 3)], 1, 0.21)
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        batch_tokens: int,
        seed: int = 0,
        kind: type[Batch] = TranslationBatch,
        recut: Callable[[int], Sequence[Example]] | None = None,
    ):
        if not examples:
            raise InputError("there is no text to make batches of")
        check_ids([i for example in examples for text in example[: len(kind.extra)] for i in text])
        self.examples, self.kind, self.recut = list(examples), kind, recut
        self.batch_tokens, self.seed = batch_tokens, seed
        self._last = (0, None)  # the epoch that was asked for last, and its batches

    def __len__(self):
        return len(self.examples)

    def epoch(self, number: int) -> EpochBatches:
        """Return the batches of an epoch, counted from 1."""
        if self._last[0] != number:
            examples = self.recut(number) if self.recut else self.examples
            lengths = np.array([self.kind.lengths(example) for example in examples])
            groups = _groups_of_like_length(
                lengths, self.batch_tokens, np.random.default_rng([self.seed, number])
            )
            self._last = number, EpochBatches(examples, self.kind, groups, lengths)
        return self._last[1]

    @cached_property
    def checksum(self) -> str:
        """A checksum of everything that decides the batches and their order."""
        examples = self.epoch(1).examples if self.recut else self.examples
        return hashlib.sha256(repr((examples, self.batch_tokens, self.seed)).encode()).hexdigest()


def check_ids(ids: Sequence[int]) -> None:
    """Raise `InputError` unless all ids are whole numbers above that of padding."""
    ids = np.asarray(ids)
    if ids.dtype.kind not in "iu" or ids.min() <= PAD:
        raise InputError(
            f"the text has ids that are not whole numbers above {PAD}, padding's: encode it first"
        )


def _groups_of_like_length(
    lengths: np.ndarray, batch_tokens: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the numbers of the examples of each batch, from lengths (examples, sides)."""
    order = rng.permutation(len(lengths))
    order = order[
        np.lexsort(lengths[order].T)
    ]  # by target length, then source length; ties as permuted
    cuts, start, longest = [], 0, np.zeros(lengths.shape[1], int)
    for i, index in enumerate(order):
        longest = np.maximum(longest, lengths[index])
        if i > start and (i + 1 - start) * longest.max() > batch_tokens:
            cuts.append(i)
            start, longest = i, lengths[index]
    groups = np.split(order, cuts)
    return [groups[i] for i in rng.permutation(len(groups))]
