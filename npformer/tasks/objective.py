"""An objective: a model with the loss on top, which is what training differentiates."""

from ..layers.loss import LabelSmoothingLoss
from ..models import Classifier
from ..module import Module
from ..text import PAD
from ..utils import InputError


class Objective(Module):
    """A Transformer, a language model or a classifier with the loss on top.

    A batch has `inputs` for the model, `targets`, and `n_tokens`, how many of these are real. `forward(batch)` returns
    the smoothed cross-entropy per real target, a float; `backward()` adds to the gradient of every parameter of the
    model. The texts are packed: as good as nothing is computed for padding (see `Transformer`). As in
    `LabelSmoothingLoss` there is `n_tokens` for a share of a larger batch.

    The gradient is written over the logits, unless the model's `keeps_output` is True, as it is of a Module that does
    not say: its last layer may remember what it returned.

    Raises `InputError` unless 0 <= label_smoothing < 1 and the model's padding is that of all texts, id 0.

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
            came = f"the model's pad_id is {model.config.pad_id}, but batches are padded with {PAD}"
            raise InputError(f"{came}, the id of <pad> in every vocabulary: build the model with pad_id={PAD}")
        self.model = model
        ignored = None if isinstance(model, Classifier) else PAD  # every text has a class, and class 0 is one
        self.loss = LabelSmoothingLoss(eps=label_smoothing, pad_id=ignored)

    def forward(self, batch, n_tokens: int | None = None) -> float:
        return self.loss_of(self.logits_of(batch), batch, n_tokens)

    def backward(self, dloss: float = 1.0) -> None:
        dlogits, _ = self.loss.backward(dloss)
        self.model.backward(dlogits)

    def logits_of(self, batch):
        """Return the logits of a batch."""
        return self.model.forward(*batch.inputs)

    def loss_of(self, logits, batch, n_tokens: int | None = None) -> float:
        """Return the loss of a batch's logits."""
        return self.loss.forward(logits, batch.targets, batch.n_tokens if n_tokens is None else n_tokens)
