"""Language modelling: chunks of a running text, each predicting the token after every one of its tokens."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ..layers.validation import check_sizes
from ..text import PAD, pad
from ..utils import InputError, check_seed


class LanguageModelBatch:
    """Padded ids (B, T) and the ids one step on, (B, T).

    >>> batch = LanguageModelBatch.of([[4, 5, 6], [7, 8]])
    >>> batch.ids.tolist(), batch.targets.tolist(), batch.n_tokens
    ([[4, 5], [7, 0]], [[5, 6], [8, 0]], 3)
    """

    def __init__(self, ids, targets):
        self.ids, self.targets = ids, targets

    @property
    def inputs(self) -> tuple:
        """What the model is given."""
        return (self.ids,)

    @classmethod
    def of(cls, chunks) -> "LanguageModelBatch":
        """Lay out chunks of ids, two or more each, as a batch."""
        return cls(*(pad([stretch[part] for stretch in chunks], PAD) for part in (slice(-1), slice(1, None))))

    @cached_property
    def n_tokens(self) -> int:
        """How many tokens are to be predicted."""
        return int((self.targets != PAD).sum())

    def shares(self, n: int) -> list["LanguageModelBatch"]:
        """Deal the chunks out to n batches, or to as many as there are chunks."""
        n = min(n, len(self.ids))
        return [LanguageModelBatch(self.ids[i::n], self.targets[i::n]) for i in range(n)]


class TextChunks:
    """Cut a running text into chunks of `length` tokens, and these into batches of about `batch_tokens`.

    In every epoch the cuts fall elsewhere and the chunks come in another order; both depend on the seed and the
    epoch's number alone. With `shuffle=False` the text is cut from its beginning, in order.

    Raises `InputError` when a text has fewer than two tokens or an id that is no whole number above that of padding, or
    a size is below 1 or the seed below 0.

    >>> text = TextChunks(range(4, 14), length=4, batch_tokens=8, shuffle=False)
    >>> [batch.ids.tolist() for batch in text.epoch(1)]
    [[[4, 5, 6, 7], [8, 9, 10, 11]], [[12]]]
    """

    def __init__(self, ids: Sequence[int], *, length: int, batch_tokens: int, seed: int = 0, shuffle: bool = True):
        self.ids = np.asarray(ids)
        if self.ids.ndim != 1 or len(self.ids) < 2:
            raise InputError(f"the text has {self.ids.size} tokens: expected two or more, one to predict the next from")
        if self.ids.dtype.kind not in "iu" or self.ids.min() <= PAD:
            raise InputError(f"the text holds ids that are no whole numbers above {PAD}, padding's: encode it first")
        check_sizes(length=length, batch_tokens=batch_tokens)
        self.length, self.batch_tokens = int(length), int(batch_tokens)
        self.seed, self.shuffle = check_seed(seed), shuffle

    def epoch(self, number: int) -> "EpochChunks":
        """Return the cut of an epoch, counted from 1."""
        last = len(self.ids) - 1  # the last token is predicted, and predicts none
        starts = np.arange(0, last, self.length)
        if self.shuffle:
            rng = np.random.default_rng([self.seed, number])
            starts = np.arange(rng.integers(min(self.length, last)), last, self.length)
            starts = starts[rng.permutation(len(starts))]
        each = max(self.batch_tokens // self.length, 1)
        return EpochChunks(self.ids, self.length, [starts[i : i + each] for i in range(0, len(starts), each)])

    @cached_property
    def checksum(self) -> str:
        """A checksum of all that decides which batches come, and in which order."""
        how = (self.length, self.batch_tokens, self.seed, self.shuffle)
        return hashlib.sha256(repr(how).encode() + self.ids.tobytes()).hexdigest()


class EpochChunks:
    """The batches of one epoch; nothing in it changes any more. Its length is the number of batches."""

    padding_share = 0.0  # but for the last stretch of the text

    def __init__(self, ids: np.ndarray, length: int, groups: list[np.ndarray]):
        self.ids, self.length, self.groups = ids, length, groups

    def __len__(self):
        return len(self.groups)

    def __iter__(self) -> Iterator[LanguageModelBatch]:
        return self.batches()

    def shapes(self, stop: int | None = None) -> list[tuple[int, int]]:
        """Return what the ids of each batch, or of the first `stop`, will measure: (B, T)."""
        last = len(self.ids) - 1
        return [(len(group), min(self.length, last - int(min(group)))) for group in self.groups[:stop]]

    def tokens(self, stop: int | None = None) -> list[tuple[int]]:
        """Return how many tokens are read in each batch, or in the first `stop`."""
        last = len(self.ids) - 1
        return [(int(np.minimum(self.length, last - group).sum()),) for group in self.groups[:stop]]

    def batches(self, start: int = 0) -> Iterator[LanguageModelBatch]:
        """Yield the batches from number `start` on."""
        for group in self.groups[start:]:
            yield LanguageModelBatch.of([self.ids[first : first + self.length + 1] for first in group])
