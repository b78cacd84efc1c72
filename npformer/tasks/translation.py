"""Translation: a batch of sentence pairs."""

from functools import cached_property

from ..models import TransformerConfig
from ..text import BOS, PAD, marked, pad


class TranslationBatch:
    """Padded ids: src (B, S) ends in <eos>; tgt_in (B, T) starts with <bos>; tgt_out (B, T) is tgt_in one step on.

    `TranslationBatch.of_model(config)` is the same with what a model has in the place of <bos> and around sources.

    >>> batch = TranslationBatch.of([[4, 5], [6]], [[7], [8, 9]])
    >>> batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist(), batch.n_tokens
    ([[4, 5, 3], [6, 3, 0]], [[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]], 5)
    """

    start_id, source_marks = BOS, "eos"

    def __init__(self, src, tgt_in, tgt_out):
        self.src, self.tgt_in, self.tgt_out = src, tgt_in, tgt_out

    @property
    def inputs(self) -> tuple:
        """What the model is given."""
        return self.src, self.tgt_in

    @property
    def targets(self):
        """What it is to predict."""
        return self.tgt_out

    @staticmethod
    def sides(pair) -> tuple[list[int], list[int]]:
        """Return the texts of an example: source and target."""
        return pair

    @classmethod
    def lengths(cls, pair) -> tuple[int, int]:
        """Return how many tokens an example's sides have in a batch, which decides which batch it is in."""
        src, tgt = pair
        return len(marked(src, cls.source_marks)), len(marked(tgt))

    @classmethod
    def of_model(cls, config: TransformerConfig) -> type["TranslationBatch"]:
        """Return the kind of batch that a model with this config reads.

        >>> config = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, start_id=0, source_marks="both")
        >>> batch = TranslationBatch.of_model(config).of([[4]], [[7, 8]])
        >>> batch.src.tolist(), batch.tgt_in.tolist()
        ([[2, 4, 3]], [[0, 7, 8]])
        """
        return type(cls.__name__, (cls,), {"start_id": config.start_id, "source_marks": config.source_marks})

    @classmethod
    def of(cls, sources, targets) -> "TranslationBatch":
        """Lay out lists of ids, without special tokens, as a batch."""
        src = pad([marked(ids, cls.source_marks) for ids in sources], PAD)
        tgt_out = pad([marked(ids) for ids in targets], PAD)
        return cls(src, pad([[cls.start_id, *ids] for ids in targets], PAD), tgt_out)

    @cached_property
    def n_tokens(self) -> int:
        """How many real target tokens are to be predicted."""
        return int((self.tgt_out != PAD).sum())

    def shares(self, n: int) -> list["TranslationBatch"]:
        """Deal the sentences out to n batches, or to as many as there are sentences."""
        n = min(n, len(self.src))
        return [TranslationBatch(self.src[i::n], self.tgt_in[i::n], self.tgt_out[i::n]) for i in range(n)]
