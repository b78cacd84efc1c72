"""The loss per token on sentences that are not trained on; exp of it is the perplexity."""

from ..base.threads import threads_for
from ..models import Transformer
from ..tasks import Batches, TranslationObjective


def mean_loss(model: Transformer, batches: Batches) -> float:
    """Return the cross-entropy per target token in eval mode, in nats, without smoothing: exp of it is perplexity."""
    objective, total, n_tokens = TranslationObjective(model, label_smoothing=0.0), 0.0, 0
    with objective.evaluating(), threads_for(model.config.d_model):
        for batch in batches.epoch(1):
            total += batch.n_tokens * objective.forward(batch)
            n_tokens += batch.n_tokens
    return total / n_tokens
