"""Examples with their ids, which of them can be used, and batches of like length: paper section 5.1."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..datasets import SentencePair
from ..layers.validation import check_sizes
from ..text import PAD, AnyVocabulary, fits, with_marks
from ..utils import InputError, check_seed
from .translation import TranslationBatch

Example = tuple  # what a kind of batch is made of, such as the ids of a source and of its target
Recut = Callable[[int], Sequence[Example]]  # the examples as an epoch reads them


class EncodedPair(NamedTuple):
    """A sentence pair and the ids of both sides, without special tokens."""

    pair: SentencePair
    src: list[int]
    tgt: list[int]


def encode_pairs(pairs: Iterable[SentencePair], source: AnyVocabulary, target: AnyVocabulary) -> list[EncodedPair]:
    """Return the pairs with their ids."""
    return [EncodedPair(pair, source.encode(pair.source), target.encode(pair.target)) for pair in pairs]


def pair_fits(src: Sequence[int], tgt: Sequence[int], longest: int, marks: str) -> bool:
    """Tell whether a pair has no empty side, and at most `longest` tokens on each: the source with its marks."""
    return fits(src, longest, marks) and fits(tgt, longest)


def filter_pairs(encoded: list[EncodedPair], *, longest: int, what: str, marks: str = "eos") -> list[EncodedPair]:
    """Return the pairs that have no empty side and at most `longest` tokens on a side.

    Sources are counted with their `marks` (`text.marked`), targets with <eos>.

    Raises `InputError`, which calls the pairs `what`, when none is left.
    """
    usable = [pair for pair in encoded if pair_fits(pair.src, pair.tgt, longest, marks)]
    if not usable:
        none = f"none of the {what} pairs can be used ({len(encoded)} there are)"
        rule = f"a source of more than {longest} tokens{with_marks(marks)}, or a target of more{with_marks()}"
        raise InputError(f"{none}: each has an empty side, {rule}")
    return usable


class EpochBatches:
    """The batches of one epoch; nothing in it changes any more. Its length is the number of batches.

    `groups` says for each batch which examples are in it.
    """

    def __init__(self, examples: Sequence[Example], kind: type, *, batch_tokens: int, rng: np.random.Generator):
        self.examples, self.kind = examples, kind
        self.lengths = checked_lengths(examples, kind, batch_tokens)  # (examples, sides)
        order = rng.permutation(len(examples))
        order = order[np.lexsort(self.lengths[order].T)]  # by target length, then source length; ties as permuted
        cuts, start, longest = [], 0, np.zeros(self.lengths.shape[1], int)
        for i, index in enumerate(order):
            longest = np.maximum(longest, self.lengths[index])
            if (i + 1 - start) * longest.max() > batch_tokens:
                cuts.append(i)
                start, longest = i, self.lengths[index]
        groups = np.split(order, cuts)
        self.groups = [groups[i] for i in rng.permutation(len(groups))]

    def __len__(self):
        return len(self.groups)

    def __iter__(self) -> Iterator:
        return self.batches()

    def batches(self, start: int = 0) -> Iterator:
        """Yield the batches from number `start` on."""
        for group in self.groups[start:]:
            yield self.kind.of(*zip(*(self.examples[i] for i in group), strict=True))

    def shapes(self, stop: int | None = None) -> list[tuple[int, ...]]:
        """Return what the inputs of each batch, or of the first `stop`, will measure: (B, S, T), or (B, S) of texts."""
        return [(len(group), *self.lengths[group].max(0).tolist()) for group in self.groups[:stop]]

    def tokens(self, stop: int | None = None) -> list[tuple[int, ...]]:
        """Return how many tokens each side of each batch, or of the first `stop`, will have."""
        return [tuple(self.lengths[group].sum(0).tolist()) for group in self.groups[:stop]]

    @cached_property
    def padding_share(self) -> float:
        """Which share of all positions is padding."""
        positions = sum(n * sum(lengths) for n, *lengths in self.shapes())
        return 1 - float(self.lengths.sum() / positions)


class Batches:
    """Cut sentence pairs into batches of about `batch_tokens` source and `batch_tokens` target tokens.

    Sentences of like length stand together, so that little is padding; which sentences meet and the order of the
    batches change with each epoch, and depend on the seed and the epoch's number alone. `recut(epoch)`, where given,
    returns the pairs as that epoch reads them. Other examples than pairs have another `kind` of batch.

    Raises `InputError` when there are no examples, a text is empty or longer than batch_tokens, an id is no whole
    number above that of padding, or batch_tokens or the seed is not a whole number in range.

    >>> batches = Batches([([4, 5], [6]), ([7], [8, 9, 4])], batch_tokens=16, seed=0)
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
        kind: type = TranslationBatch,
    ):
        if not examples:
            raise InputError("there is no text to make batches of")
        self.seed = check_seed(seed)
        check_sizes(batch_tokens=batch_tokens)
        self.examples, self.kind = list(examples), kind
        checked_lengths(self.examples, kind, batch_tokens)
        ids = np.array([i for example in self.examples for side in kind.sides(example) for i in side])
        if ids.dtype.kind not in "iu" or ids.min() <= PAD:
            raise InputError(
                f"the texts hold ids that are no whole numbers above {PAD}, padding's: encode the text first"
            )
        self.recut = recut
        self.batch_tokens = int(batch_tokens)
        self._last = (0, None)  # the number of the epoch that was asked for last, and its cut

    def epoch(self, number: int) -> EpochBatches:
        """Return the cut of an epoch, counted from 1. Raises `InputError` when `recut` made a sentence too long."""
        last, cut = self._last
        if last != number:
            examples = self.examples if self.recut is None else self.recut(number)
            rng = np.random.default_rng([self.seed, number])
            cut = EpochBatches(examples, self.kind, batch_tokens=self.batch_tokens, rng=rng)
            self._last = number, cut
        return cut

    @cached_property
    def checksum(self) -> str:
        """A checksum of all that decides which batches come, and in which order."""
        examples = self.examples if self.recut is None else self.epoch(1).examples
        return hashlib.sha256(repr((examples, self.batch_tokens, self.seed)).encode()).hexdigest()


def checked_lengths(examples: Sequence[Example], kind: type, batch_tokens: int) -> np.ndarray:
    """Return how many tokens each example's sides have in a batch. Raises `InputError` for none or too many."""
    lengths = [kind.lengths(example) for example in examples]
    for number, (example, counted) in enumerate(zip(examples, lengths, strict=True), start=1):
        for ids, length in zip(kind.sides(example), counted, strict=True):
            if not len(ids):
                raise InputError(f"example {number} has an empty side: leave it out")
            if length > batch_tokens:
                came = f"example {number} has a side of {length} tokens in a batch"
                raise InputError(
                    f"{came}, more than batch_tokens = {batch_tokens}: ask for larger ones, or leave it out"
                )
    return np.array(lengths)
