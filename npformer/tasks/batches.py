"""Batches of sentences of similar length: paper section 5.1.

Next: tasks/objective.py
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..datasets import SentencePair
from ..layers.hyperparameter_checks import check_sizes
from ..text import BOS, PAD, BaseVocabulary, add_special_tokens, check_special_tokens, pad
from ..utils import InputError, Rng

__all__ = ["Batch", "Batches", "EpochBatches", "TranslationBatch", "batches", "check_ids"]

Example = tuple  # what `collate` takes several of, such as the ids of a source and of its target


class Batch:
    """Padded arrays with one row per example. A subclass is a dataclass of them.

    It has `inputs`, the tuple of arrays that the model reads, and `targets`, the ids or classes
    that the model is to predict. `pad_id` is the target that does not count; None: all count.
    """

    pad_id: ClassVar[int | None] = PAD

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        raise NotImplementedError

    @property
    def targets(self) -> np.ndarray:
        """What the model is to predict."""
        raise NotImplementedError

    @property
    def n_tokens(self) -> int:
        """The number of targets that count."""
        if self.pad_id is None:
            return self.targets.size
        return int((self.targets != self.pad_id).sum())

    def split(self, n: int) -> list["Batch"]:
        """Return n batches that share the rows, or as many as there are rows."""
        n = min(n, len(self.targets))
        arrays = vars(self).values()
        shares = []
        for i in range(n):
            # rows are sorted by length: every n-th one gives shares of about as many tokens
            rows = [array[i::n] for array in arrays]
            shares.append(type(self)(*rows))
        return shares


@dataclass(eq=False)
class TranslationBatch(Batch):
    """Padded ids of sentences and of their translations.

    Arguments:
        src: the source, which ends in <eos>, (B, S).
        tgt_in: what the decoder reads: <bos> and the target, (B, T).
        tgt_out: what it is to predict: the target and <eos>, (B, T).

    >>> batch = TranslationBatch.of([[4, 5], [6]], [[7], [8, 9]])
    >>> batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist(), batch.n_tokens
    ([[4, 5, 3], [6, 3, 0]], [[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]], 5)
    """

    src: np.ndarray
    tgt_in: np.ndarray
    tgt_out: np.ndarray

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return self.src, self.tgt_in

    @property
    def targets(self) -> np.ndarray:
        """The ids that it is to predict."""
        return self.tgt_out

    @classmethod
    def of(
        cls,
        sources: Sequence[Sequence[int]],
        targets: Sequence[Sequence[int]],
        *,
        start_id: int = BOS,
        source_special_tokens: str = "eos",
    ) -> "TranslationBatch":
        """Make a batch of lists of ids without special tokens.

        Arguments:
            sources, targets: the ids of each sentence and of its translation.
            start_id: the token that tgt_in begins with, the config's `start_id`.
            source_special_tokens: those of a source, as in the config.
        """
        src = []
        for ids in sources:
            src.append(add_special_tokens(ids, source_special_tokens))
        tgt_in = []
        tgt_out = []
        for ids in targets:
            tgt_in.append([start_id, *ids])
            tgt_out.append(add_special_tokens(ids))
        return cls(pad(src, PAD), pad(tgt_in, PAD), pad(tgt_out, PAD))

    @classmethod
    def collate(cls, pairs: Sequence[tuple], **special_tokens) -> "TranslationBatch":
        """Make a batch of pairs (source ids, target ids); `special_tokens` as in `of`."""
        sources = []
        targets = []
        for source, target in pairs:
            sources.append(source)
            targets.append(target)
        return cls.of(sources, targets, **special_tokens)


class EpochBatches:
    """The batches of one epoch. Its length is the number of batches.

    Arguments:
        examples: all examples of the epoch.
        collate: makes a batch of a list of examples.
        groups: the indices of the examples of each batch.
        lengths: the number of tokens of each text of each example, (examples, texts).
    """

    def __init__(
        self,
        examples: Sequence[Any],
        collate: Callable[[list], Batch],
        groups: Sequence[Any],
        lengths: np.ndarray,
    ):
        self.examples = examples
        self.collate = collate
        self.groups = groups
        self.lengths = lengths

    def __len__(self):
        return len(self.groups)

    def __iter__(self) -> Iterator[Batch]:
        return self.batches()

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Yield the batches from number `start` on."""
        for group in self.groups[start:]:
            yield self.collate([self.examples[i] for i in group])

    @property
    def padding_share(self) -> float:
        """The share of all positions that are padding."""
        n_positions = 0
        for group in self.groups:
            longest = self.lengths[list(group)].max(axis=0)  # (texts,)
            n_positions += longest.sum() * len(group)
        return 1 - float(self.lengths.sum() / n_positions)


class Batches:
    """Cut examples into batches of at most `batch_tokens` tokens on each side.

    Examples of similar length are in one batch, so that little is padding; a longer one is a batch
    of its own. The batches and their order differ in each epoch, and depend only on the seed and
    the number of the epoch. `for batch in batches` yields those of the first epoch, and
    `len(batches)` is their number.

    Arguments:
        examples: pairs (source ids, target ids), or what `collate` takes instead.
        batch_tokens: the largest number of tokens on each side of a batch, padding included.
        seed: another seed gives other batches.
        collate: makes a batch of a list of examples; by default the special tokens are those
            of `batches`.
        n_special_tokens: how many special tokens `collate` adds to each text of an example. An
            example begins with as many texts; what follows, such as a class, is no text.
        recut: if given, `recut(epoch)` returns the examples as that epoch reads them.

    Raises `InputError` when there are no examples, `batch_tokens` is below 1, or an id is not an
    integer above that of padding.

    >>> batches = Batches([([4, 5], [6]), ([7], [8, 9, 4])], batch_tokens=16)
    >>> [batch.src.shape for batch in batches], len(batches)
    ([(2, 3)], 1)
    >>> round(batches.epoch(1).padding_share, 2)
    0.21
    """

    def __init__(
        self,
        examples: Iterable[Example],
        *,
        batch_tokens: int,
        seed: int = 0,
        collate: Callable[[list], Batch] = TranslationBatch.collate,
        n_special_tokens: tuple[int, ...] = (1, 1),
        recut: Callable[[int], Sequence[Example]] | None = None,
    ):
        examples = list(examples)  # a zip is read once
        if not examples:
            raise InputError("there is no text to make batches of")
        check_sizes(batch_tokens=batch_tokens)
        ids: list[int] = []
        for example in examples:
            for text in example[: len(n_special_tokens)]:
                ids.extend(text)
        check_ids(ids)

        self.examples = examples
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.collate = collate
        self.n_special_tokens = n_special_tokens
        self.recut = recut
        self._last: tuple[int, EpochBatches] | None = None  # the latest epoch, and its number

    def __len__(self):
        return len(self.epoch(1))

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.epoch(1))

    def epoch(self, number: int) -> EpochBatches:
        """Return the batches of an epoch, counted from 1."""
        # asked for several times an epoch, and cutting takes seconds where there are many examples
        if self._last is None or self._last[0] != number:
            examples = self.recut(number) if self.recut else self.examples
            lengths = np.array([self._lengths(example) for example in examples])
            rng = np.random.default_rng([self.seed, number])
            groups = _groups_of_like_length(lengths, self.batch_tokens, rng)
            self._last = number, EpochBatches(examples, self.collate, groups, lengths)
        return self._last[1]

    @cached_property
    def checksum(self) -> str:
        """A checksum of everything that decides the batches and their order, but for `collate`."""
        # recut derives every epoch from one seed, so that the first identifies all
        examples = self.epoch(1).examples if self.recut else self.examples
        with np.printoptions(threshold=sys.maxsize):  # of a long array repr leaves out the middle
            text = repr((examples, self.batch_tokens, self.seed, self.n_special_tokens))
        return hashlib.sha256(text.encode()).hexdigest()

    def _lengths(self, example: Example) -> list[int]:
        """Return the number of tokens of each text of an example in a batch."""
        texts = example[: len(self.n_special_tokens)]
        return [len(ids) + n for ids, n in zip(texts, self.n_special_tokens, strict=True)]


def batches(
    pairs: Sequence[tuple[str, str]],
    source: BaseVocabulary,
    target: BaseVocabulary,
    *,
    tokens: int = 4096,
    epochs: int = 1,
    rng: Rng = None,
) -> Iterator[Any]:
    """Yield a `TranslationBatch` at a time, each pair once per epoch; paper section 5.1.

    Sentences of similar length are in one batch, so that little is padding. The batches and their
    order differ in each epoch. Sources end in <eos> and targets begin with <bos>, as in a config
    with the default `source_special_tokens` and `start_id`; `tasks.translation_batches` makes those
    of another config.

    Arguments:
        pairs: (sentence, translation), both text. White space around them is left out, as it is
            where a Translator reads.
        source, target: the vocabularies of the two sides.
        tokens: the largest number of tokens on each side of a batch, padding included. A longer
            pair is a batch of its own.
        epochs: how often each pair is read.
        rng: a generator or a seed, for the order.

    Raises `InputError` when there are no pairs, when one is not two texts of at least one token
    each, and when `tokens` or `epochs` is below 1.

    >>> import npformer as npf
    >>> pairs = [("a b c", "c b a"), ("a b", "b a"), ("c", "c")]
    >>> vocabulary = npf.text.Vocabulary.build(source for source, _ in pairs)
    >>> made = batches(pairs, vocabulary, vocabulary, tokens=6, epochs=2, rng=0)
    >>> sorted(batch.src.shape for batch in made)
    [(1, 4), (1, 4), (2, 3), (2, 3)]
    """
    check_sizes(tokens=tokens, epochs=epochs)
    check_special_tokens(source, "source")
    check_special_tokens(target, "target")
    examples = []
    for sentence, translation in checked_pairs(pairs):
        example = source.encode(sentence.strip()), target.encode(translation.strip())
        if not all(example):
            raise InputError(
                f"pairs has {(sentence, translation)!r:.60}, one side of which has no token: "
                "leave the pair out"
            )
        examples.append(example)

    # checked here, not in the loop: a generator function would raise at its first batch only
    seed = int(np.random.default_rng(rng).integers(2**32))
    cut = Batches(examples, batch_tokens=tokens, seed=seed)
    return _batches_of_epochs(cut, epochs)


def _batches_of_epochs(cut: Batches, n_epochs: int) -> Iterator[Any]:
    for number in range(1, n_epochs + 1):
        yield from cut.epoch(number)


def check_ids(ids: Sequence[int] | np.ndarray, pad_id: int | None = PAD) -> None:
    """Raise `InputError` unless all ids are integers above that of padding; None: 0 or more."""
    ids = np.asarray(ids)
    least = 0 if pad_id is None else pad_id + 1
    if ids.dtype.kind in "iu" and ids.min() >= least:
        return
    expected = f"integers greater than {pad_id} (the padding id)"
    if pad_id is None:
        expected = "integers, 0 or more"
    raise InputError(f"token ids must be {expected}: encode the text first")


def checked_pairs(pairs: Any) -> list[tuple[str, str]]:
    """Return pairs of texts. Raises `InputError` for anything else."""
    expected = "expected a list of pairs (source, target), both text"
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(f"pairs is a {type(pairs).__name__}: {expected}")
    if not pairs:
        raise InputError(f"pairs is empty: {expected}")

    texts = []
    for pair in pairs:
        if isinstance(pair, SentencePair):
            pair = pair[:2]
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not is_pair or not all(isinstance(text, str) for text in pair):
            raise InputError(f"pairs has {pair!r:.60}: {expected}")
        texts.append((pair[0], pair[1]))
    return texts


def _groups_of_like_length(
    lengths: np.ndarray, batch_tokens: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the indices of the examples of each batch, from their lengths (examples, texts)."""
    # by target length, which is lexsort's last key, then by source length; equal ones in random
    # order
    order = rng.permutation(len(lengths))
    order = order[np.lexsort(lengths[order].T)]

    cuts = []
    start = 0
    longest = np.zeros(lengths.shape[1], int)
    for i, index in enumerate(order):
        longest = np.maximum(longest, lengths[index])
        # a batch is padded to its longest text, on either side
        if i > start and (i + 1 - start) * longest.max() > batch_tokens:
            cuts.append(i)
            start = i
            longest = lengths[index]

    groups = np.split(order, cuts)
    return [groups[i] for i in rng.permutation(len(groups))]
