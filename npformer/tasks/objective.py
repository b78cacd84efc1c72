"""The objective, a model with its loss, and the loss on held-out examples."""

from typing import NamedTuple

from ..backend import to_host
from ..layers.loss import LabelSmoothingLoss
from ..models import Classifier
from ..module import Module
from ..text import PAD
from ..utils import InputError, threads_for


class Objective(Module):
    """A Transformer, a language model or a classifier with the loss on top, which is what training differentiates.

    A batch has `inputs` for the model, `targets`, and `n_tokens`, the number of real targets. `forward(batch)` returns
    the smoothed cross-entropy per real target, a float; `backward()` adds to the gradient of every parameter of the
    model. If a batch is a share of a larger one, `forward(batch, n_tokens)` takes the larger one's number, as
    `LabelSmoothingLoss` does.

    Raises `InputError` unless 0 <= label_smoothing < 1 and the model's padding is id 0, that of all batches.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import TranslationBatch
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0), rng=0)
    >>> objective = Objective(model, label_smoothing=0.0)
    >>> loss = objective.forward(TranslationBatch.of([[4, 5]], [[6]]))
    >>> objective.backward()
    >>> 1 < loss < 5
    True
    """

    def __init__(self, model: Module, *, label_smoothing: float = 0.1):
        if model.config.pad_id != PAD:
            got = f"the model's pad_id is {model.config.pad_id}, but batches are padded with {PAD}"
            raise InputError(
                f"{got}, the id of <pad> in every vocabulary: build the model with pad_id={PAD}"
            )
        self.model, self.classifies = model, isinstance(model, Classifier)
        ignored = None if self.classifies else PAD  # every text has a class, and 0 is a class
        self.loss = LabelSmoothingLoss(eps=label_smoothing, pad_id=ignored)

    def forward(self, batch, n_tokens: int | None = None) -> float:
        return self.loss.forward(self.model.forward(*batch.inputs), batch.targets, n_tokens)

    def backward(self, dloss: float = 1.0) -> None:
        dlogits, _ = self.loss.backward(dloss)
        self.model.backward(dlogits)


class HeldOut(NamedTuple):
    """The cross-entropy per target in nats, without smoothing, and of a classifier the share of correct answers."""

    loss: float
    accuracy: float | None


def held_out_scores(objective: Objective, batches) -> HeldOut:
    """Measure a model in eval mode on the first epoch of `batches`, by an objective without smoothing."""
    total = n_correct = n_targets = 0
    with objective.evaluating(), threads_for(objective.model.config.d_model):
        for batch in batches.epoch(1):
            logits = objective.model.forward(*batch.inputs)  # (..., V)
            total += batch.n_tokens * objective.loss.forward(logits, batch.targets)
            n_correct += (
                int((to_host(logits).argmax(-1) == batch.targets).sum())
                if objective.classifies
                else 0
            )
            n_targets += batch.n_tokens
    return HeldOut(total / n_targets, n_correct / n_targets if objective.classifies else None)


def mean_loss(model: Module, batches) -> float:
    """Return the cross-entropy per target in nats, as `held_out_scores` does; exp of it is the perplexity."""
    return held_out_scores(Objective(model, label_smoothing=0.0), batches).loss
