"""The loss per token on sentences that are not trained on; exp of it is the perplexity."""

from __future__ import annotations

from ..models import Transformer
from ..tasks import Batches, LabelSmoothingLoss


def mean_loss(model: Transformer, batches: Batches) -> float:
    """Return the cross-entropy per target token in eval mode, in nats, without smoothing: exp of it is perplexity."""
    loss = LabelSmoothingLoss(eps=0.0, pad_id=batches.pad_id)
    total, n_tokens = 0.0, 0
    with model.evaluating():
        for batch in batches.epoch(1):
            tokens = int((batch.tgt_out != batches.pad_id).sum())
            total += tokens * loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out)
            n_tokens += tokens
    return total / n_tokens
