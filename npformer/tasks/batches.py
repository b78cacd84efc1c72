"""Batches of sentences of similar length: paper section 5.1."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from ..layers.sizes import check_sizes
from ..text import PAD
from ..utils import InputError, check_seed

Example = tuple  # what a batch class collates, such as the ids of a source and of its target
Recut = Callable[[int], Sequence[Example]]  # the examples as an epoch reads them


class Batch:
    """Padded arrays, a row per example: `inputs` for the model, and `targets`, the ids that it is to predict.

    A subclass takes its arrays in `__init__`, and `collate(examples)` makes them. `sides(example)` are the texts of an
    example, and `lengths(example)` the number of tokens that they have in a batch.
    """

    @property
    def n_tokens(self) -> int:
        """The number of real targets, without padding."""
        return int((self.targets != PAD).sum())

    def split(self, n: int) -> list:
        """Return n batches that share the rows, or as many as there are rows."""
        n = min(n, len(self.targets))
        return [type(self)(*(array[i::n] for array in vars(self).values())) for i in range(n)]


class EpochBatches:
    """The batches of one epoch. Its length is the number of batches.

    `groups` has the numbers of each batch's examples.
    """

    def __init__(self, examples: Sequence[Example], kind: type[Batch], groups: Sequence[Sequence[int]]):
        self.examples, self.kind, self.groups = examples, kind, groups

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
        groups = [self._lengths[list(group)] for group in self.groups]
        positions = sum(lengths.max(0).sum() * len(lengths) for lengths in groups)
        return 1 - float(self._lengths.sum() / positions)

    @cached_property
    def _lengths(self) -> np.ndarray:  # (examples, sides)
        return np.array([self.kind.lengths(example) for example in self.examples])


def _groups_of_like_length(lengths: np.ndarray, batch_tokens: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return the numbers of the examples of each batch, from lengths (examples, sides)."""
    order = rng.permutation(len(lengths))
    order = order[np.lexsort(lengths[order].T)]  # by target length, then source length; ties as permuted
    cuts, start, longest = [], 0, np.zeros(lengths.shape[1], int)
    for i, index in enumerate(order):
        longest = np.maximum(longest, lengths[index])
        if (i + 1 - start) * longest.max() > batch_tokens:
            cuts.append(i)
            start, longest = i, lengths[index]
    groups = np.split(order, cuts)
    return [groups[i] for i in rng.permutation(len(groups))]


class Batches:
    """Cut examples, such as (source ids, target ids), into batches of at most `batch_tokens` tokens on each side.

    Examples of similar length are in one batch, so that little is padding. The batches and their order change with
    each epoch, and depend on the seed and the epoch's number alone. `recut(epoch)`, if given, returns the examples as
    that epoch reads them. `kind` is the class of the batches. The length is the number of examples.

    Raises `InputError` when there are no examples, a text is empty or longer than batch_tokens, an id is not a whole
    number above that of padding, or batch_tokens or the seed is out of range.

    >>> from npformer.tasks import TranslationBatch
    >>> batches = Batches([([4, 5], [6]), ([7], [8, 9, 4])], batch_tokens=16, kind=TranslationBatch)
    >>> cut = batches.epoch(1)
    >>> [batch.src.shape for batch in cut], len(cut), round(cut.padding_share, 2)
    ([(2, 3)], 1, 0.21)
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        batch_tokens: int,
        seed: int = 0,
        recut: Recut | None = None,
        kind: type[Batch] | None = None,
    ):
        if not examples:
            raise InputError("there is no text to make batches of")
        if kind is None:
            from .translation import TranslationBatch as kind
        self.seed = check_seed(seed)
        check_sizes(batch_tokens=batch_tokens)
        self.examples, self.kind = list(examples), kind
        _checked_lengths(self.examples, kind, batch_tokens)
        ids = np.array([i for example in self.examples for side in kind.sides(example) for i in side])
        if ids.dtype.kind not in "iu" or ids.min() <= PAD:
            raise InputError(f"the texts have ids that are not whole numbers above {PAD}, padding's: encode them first")
        self.recut, self.batch_tokens = recut, int(batch_tokens)
        self._last = (0, None)  # the epoch that was asked for last, and its batches

    def __len__(self):
        return len(self.examples)

    def epoch(self, number: int) -> EpochBatches:
        """Return the batches of an epoch, counted from 1. Raises `InputError` when `recut` made a text too long."""
        last, cut = self._last
        if last != number:
            examples = self.examples if self.recut is None else self.recut(number)
            lengths = _checked_lengths(examples, self.kind, self.batch_tokens)
            groups = _groups_of_like_length(lengths, self.batch_tokens, np.random.default_rng([self.seed, number]))
            cut = EpochBatches(examples, self.kind, groups)
            self._last = number, cut
        return cut

    @cached_property
    def checksum(self) -> str:
        """A checksum of everything that decides the batches and their order."""
        examples = self.examples if self.recut is None else self.epoch(1).examples
        return hashlib.sha256(repr((examples, self.batch_tokens, self.seed)).encode()).hexdigest()


def _checked_lengths(examples: Sequence[Example], kind: type[Batch], batch_tokens: int) -> np.ndarray:
    lengths = [kind.lengths(example) for example in examples]
    for number, (example, counted) in enumerate(zip(examples, lengths, strict=True), start=1):
        if not all(len(ids) for ids in kind.sides(example)):
            raise InputError(f"example {number} has an empty side: leave it out")
        if max(counted) > batch_tokens:
            long = f"example {number} has {max(counted)} tokens in a batch, more than batch_tokens = {batch_tokens}"
            raise InputError(f"{long}: take larger batches, or leave it out")
    return np.array(lengths)
