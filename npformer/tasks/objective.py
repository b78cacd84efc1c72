"""The objective, a model with its loss, and the loss on held-out examples.

Next: training/adam.py
"""

from typing import Any, NamedTuple

from ..backend import to_host
from ..layers.loss import LabelSmoothingLoss
from ..module import Module
from ..text import PAD
from ..utils import InputError, threads_for
from ..utils.threads_and_memory import model_width

__all__ = ["HeldOut", "Objective", "held_out_scores", "mean_loss"]


class Objective(Module):
    """A model with the loss on top, which is what training differentiates.

    `forward(batch)` returns the smoothed cross-entropy per target, a float; `backward()` adds to
    the gradient of every parameter of the model. Where a batch is a share of a larger one,
    `forward(batch, n_tokens)` takes the larger one's number of targets, as `LabelSmoothingLoss`
    does.

    Arguments:
        model: a Transformer, a language model, a classifier, or any Module that returns logits.
        label_smoothing: eps of the smoothed labels, 0 <= eps < 1.

    A batch has `inputs` for the model; `targets`; `n_tokens`, the number of those that count; and
    `pad_id`, the target that does not count, None if all count. `tasks.Batch` has all of them.

    Raises `InputError` when eps is out of range, or when the config of the model says that
    padding is another id than 0, that of all batches. A language model may have none.

    >>> import npformer as npf
    >>> from npformer.tasks import TranslationBatch
    >>> config = npf.TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> objective = Objective(npf.Transformer(config, rng=0), label_smoothing=0.0)
    >>> loss = objective.forward(TranslationBatch.of([[4, 5]], [[6]]))
    >>> objective.backward()
    >>> 1 < loss < 5
    True
    """

    def __init__(self, model: Module, *, label_smoothing: float = 0.1):
        pad_id = getattr(getattr(model, "config", None), "pad_id", PAD)
        if pad_id not in (PAD, None):
            raise InputError(
                f"the model's pad_id is {pad_id}, but batches are padded with {PAD}, "
                f"the id of <pad> in every vocabulary: build the model with pad_id={PAD}"
            )
        self.model = model
        self.loss = LabelSmoothingLoss(eps=label_smoothing, pad_id=PAD)

    def forward(self, batch: Any, n_tokens: int | None = None) -> float:
        logits = self.model(*batch.inputs)  # (..., V)
        self.loss.pad_id = batch.pad_id  # None for classes: class 0 is not padding
        return self.loss.forward(logits, batch.targets, n_tokens)

    def backward(self, dloss: float = 1.0) -> None:
        dlogits = self.loss.backward(dloss)
        self.model.backward(dlogits)


class HeldOut(NamedTuple):
    """Scores on held-out examples.

    loss: the cross-entropy per target in nats, without smoothing.
    accuracy: the share of correct classes, from 0 to 1; None unless classes are predicted.
    """

    loss: float
    accuracy: float | None = None


def held_out_scores(objective: Objective, batches: Any) -> HeldOut:
    """Measure a model in eval mode on the first epoch of `batches`.

    `objective` should have no smoothing.
    """
    total = 0.0
    n_correct = 0
    n_targets = 0
    predicts_classes = False
    with objective.evaluating(), threads_for(model_width(objective.parameters())):
        for batch in batches.epoch(1):
            logits = objective.model.forward(*batch.inputs)  # (..., V)
            objective.loss.pad_id = batch.pad_id
            # the loss of a batch is a mean, and batches have different numbers of targets
            total += batch.n_tokens * objective.loss.forward(logits, batch.targets)
            n_targets += batch.n_tokens
            if batch.pad_id is None:
                predicts_classes = True
                n_correct += int((to_host(logits).argmax(-1) == batch.targets).sum())

    accuracy = n_correct / n_targets if predicts_classes else None
    return HeldOut(total / n_targets, accuracy)


def mean_loss(model: Module, batches: Any) -> float:
    """Return the cross-entropy per target in nats; exp of it is the perplexity."""
    return held_out_scores(Objective(model, label_smoothing=0.0), batches).loss
