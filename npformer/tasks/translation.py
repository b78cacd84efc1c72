"""Translation: a batch of sentence pairs, and what it costs to predict its targets."""

from functools import cached_property

from ..base import InputError
from ..models import Transformer
from ..module import Module
from ..text import BOS, EOS, PAD, pad
from .loss import LabelSmoothingLoss


class TranslationBatch:
    """Padded ids: src (B, S) ends in <eos>; tgt_in (B, T) starts with <bos>; tgt_out (B, T) is tgt_in one step on.

    >>> batch = TranslationBatch.of([[4, 5], [6]], [[7], [8, 9]])
    >>> batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist(), batch.n_tokens
    ([[4, 5, 3], [6, 3, 0]], [[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]], 5)
    """

    def __init__(self, src, tgt_in, tgt_out):
        self.src, self.tgt_in, self.tgt_out = src, tgt_in, tgt_out

    @classmethod
    def of(cls, sources, targets) -> "TranslationBatch":
        """Lay out lists of ids, without special tokens, as a batch."""
        src, tgt_out = (pad([[*ids, EOS] for ids in side], PAD) for side in (sources, targets))
        return cls(src, pad([[BOS, *ids] for ids in targets], PAD), tgt_out)

    @cached_property
    def n_tokens(self) -> int:
        """How many real target tokens are to be predicted."""
        return int((self.tgt_out != PAD).sum())

    def shares(self, n: int) -> list["TranslationBatch"]:
        """Deal the sentences out to n batches, or to as many as there are sentences."""
        n = min(n, len(self.src))
        return [TranslationBatch(self.src[i::n], self.tgt_in[i::n], self.tgt_out[i::n]) for i in range(n)]


class TranslationObjective(Module):
    """A Transformer with the loss on top: what training differentiates.

    `forward(batch)` returns the smoothed cross-entropy per real target token, a float; `backward()` adds to the
    gradient of every parameter of the model. `n_tokens`, for a share of a larger batch, is as in `LabelSmoothingLoss`.

    Raises `InputError` unless 0 <= label_smoothing < 1 and the model's padding is that of all texts, id 0.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0), rng=0)
    >>> objective = TranslationObjective(model, label_smoothing=0.0)
    >>> loss = objective.forward(TranslationBatch.of([[4, 5]], [[6]]))
    >>> objective.backward()
    >>> 1 < loss < 5
    True
    """

    def __init__(self, model: Transformer, *, label_smoothing: float = 0.1):
        if model.config.pad_id != PAD:
            came = f"the model's pad_id is {model.config.pad_id}, but batches are padded with {PAD}"
            raise InputError(f"{came}, the id of <pad> in every vocabulary: build the model with pad_id={PAD}")
        self.model = model
        self.loss = LabelSmoothingLoss(eps=label_smoothing, pad_id=PAD)

    def forward(self, batch: TranslationBatch, n_tokens: int | None = None) -> float:
        logits = self.model.forward(batch.src, batch.tgt_in)  # (B, T, V)
        return self.loss.forward(logits, batch.tgt_out, batch.n_tokens if n_tokens is None else n_tokens)

    def backward(self, dloss: float = 1.0) -> None:
        dlogits, _ = self.loss.backward(dloss)  # (B, T, V)
        self.model.backward(dlogits)
