"""Batches of sentence pairs of like length: paper section 5.1."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..base.errors import InputError
from ..text import pad

Ids = Sequence[int]


class Batch(NamedTuple):
    """Padded ids: src (B, S) ends in <eos>; tgt_in (B, T) starts with <bos>; tgt_out (B, T) is tgt_in one step on."""

    src: np.ndarray
    tgt_in: np.ndarray
    tgt_out: np.ndarray

    def shares(self, n: int) -> list[Batch]:
        """Deal the sentences out to n batches, or to as many as there are sentences."""
        n = min(n, len(self.src))
        return [Batch(*(ids[i::n] for ids in self)) for i in range(n)]


class Batches:
    """Cut sentence pairs into batches of about `batch_tokens` source and `batch_tokens` target tokens.

    Sentences of like length stand together, so that little is padding; which sentences meet and the order of the
    batches change with each epoch, and depend on the seed and the epoch's number alone.

    Raises `InputError` when there are no pairs, a sentence is empty, or one is longer than batch_tokens.

    >>> batches = Batches([([4, 5], [6]), ([7], [8, 9, 4])], batch_tokens=16, seed=0)
    >>> batch = next(batches.epoch(1))
    >>> batch.src.shape, batch.tgt_in.shape, batch.tgt_out.shape
    ((2, 3), (2, 4), (2, 4))
    """

    def __init__(
        self,
        pairs: Sequence[tuple[Ids, Ids]],
        *,
        batch_tokens: int,
        seed: int = 0,
        recut: Callable[[int], Sequence[tuple[Ids, Ids]]] | None = None,
        pad_id: int = 0,
        bos_id: int = 2,
        eos_id: int = 3,
    ):
        if not pairs:
            raise InputError("there are no sentence pairs to make batches of")
        self.pairs = list(pairs)
        self.recut = recut
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        self._epoch, self._cut, self._lengths = 0, self.pairs, self._checked_lengths(self.pairs)
        self._checksum = None

    def _checked_lengths(self, pairs: Sequence[tuple[Ids, Ids]]) -> np.ndarray:
        lengths = np.array([(len(src) + 1, len(tgt) + 1) for src, tgt in pairs])  # (pairs, 2) with <eos>
        if lengths.min() < 2:
            index = int(lengths.min(1).argmin())
            raise InputError(f"sentence pair {index + 1} has an empty side: leave it out")
        if lengths.max() > self.batch_tokens:
            raise InputError(
                f"a sentence has {lengths.max()} tokens with <eos>, more than batch_tokens = {self.batch_tokens}: "
                "ask for larger batches or leave the sentence out"
            )
        return lengths

    def pairs_of(self, epoch: int) -> Sequence[tuple[Ids, Ids]]:
        """Return the pairs as an epoch reads them. Raises `InputError` when `recut` made one empty or too long."""
        if self.recut is not None and self._epoch != epoch:
            pairs = self.recut(epoch)
            self._epoch, self._cut, self._lengths = epoch, pairs, self._checked_lengths(pairs)
        return self._cut

    def lengths_of(self, epoch: int) -> np.ndarray:
        """Return the lengths (pairs, 2) of sources and targets as an epoch reads them, <eos> counted."""
        self.pairs_of(epoch)
        return self._lengths

    def plan(self, epoch: int) -> list[np.ndarray]:
        """Return for each batch of an epoch which pairs are in it."""
        rng = np.random.default_rng([self.seed, epoch])
        lengths = self.lengths_of(epoch)
        order = rng.permutation(len(lengths))
        order = order[np.lexsort(lengths[order].T)]  # by target length, then source length; ties as permuted
        cuts, start, longest = [], 0, np.zeros(2, int)
        for i, index in enumerate(order):
            longest = np.maximum(longest, lengths[index])
            if (i + 1 - start) * longest.max() > self.batch_tokens:
                cuts.append(i)
                start, longest = i, lengths[index]
        groups = np.split(order, cuts)
        return [groups[i] for i in rng.permutation(len(groups))]

    def epoch(self, number: int, *, start: int = 0) -> Iterator[Batch]:
        """Yield the batches of an epoch, from the batch `start` on."""
        pairs = self.pairs_of(number)
        for group in self.plan(number)[start:]:
            sources, targets = zip(*(pairs[i] for i in group), strict=True)
            yield Batch(
                pad([[*ids, self.eos_id] for ids in sources], self.pad_id),
                pad([[self.bos_id, *ids] for ids in targets], self.pad_id),
                pad([[*ids, self.eos_id] for ids in targets], self.pad_id),
            )

    def checksum(self) -> str:
        """Return a checksum of all that decides which batches come, and in which order."""
        if self._checksum is None:  # asked for at every save, when another epoch's cut is at hand
            what = self.pairs_of(1), self.batch_tokens, self.seed
            self._checksum = hashlib.sha256(repr(what).encode()).hexdigest()
        return self._checksum

    def padding_share(self, epoch: int = 1) -> float:
        """Return which share of an epoch's source and target positions is padding."""
        lengths = self.lengths_of(epoch)
        positions = sum(len(group) * lengths[group].max(0).sum() for group in self.plan(epoch))
        return 1 - float(lengths.sum() / positions)
