"""Cross-entropy with label smoothing: paper section 5.4.

Next: training/adam.py
"""

from ..backend import to_device, xp
from ..module import Module
from .hyperparameter_checks import check_probability
from .row_and_column_sums import flatten_positions, row_max, row_mean, row_sum
from .validation import check_targets


class LabelSmoothingLoss(Module):
    """Cross-entropy between softmax(logits) and a smoothed target, as a mean over real tokens.

        q = (1 - eps) onehot(target) + eps / V          Szegedy et al. 2016, section 7; paper section 5.4
        L = mean over real tokens of  -sum_v q_v log softmax(logits)_v

    One number at a time it is `label_smoothing_loss` in npformer/slow_formulas.py. logits are (..., V), targets are ids of
    shape (...). Positions whose target is `pad_id` do not count (with None all do); without any other the loss is 0.
    eps = 0 is plain cross-entropy. forward returns a float. `n_tokens` is the number of real tokens of a larger batch
    of which this one is a part: losses and gradients of all parts then add up to those of the whole.

    Raises `InputError` unless 0 <= eps < 1, targets have the shape of logits without V, and every target is an id
    below V.

    >>> import numpy as np
    >>> loss = LabelSmoothingLoss(eps=0.1, pad_id=0)
    >>> round(loss.forward(np.zeros((2, 3, 10)), np.array([[4, 5, 0], [6, 0, 0]])), 4)  # log 10
    2.3026
    >>> dlogits, _ = loss.backward()
    >>> dlogits.shape, float(dlogits[0, 2].sum())
    ((2, 3, 10), 0.0)
    """

    def __init__(self, *, eps: float = 0.1, pad_id: int | None = 0):
        check_probability(eps, "label smoothing eps")
        self.eps = eps
        self.pad_id = pad_id

    @property
    def label(self) -> str:
        return f"LabelSmoothingLoss({self.eps})"

    def forward(self, logits, targets, n_tokens: int | None = None):  # (..., V), (...)
        targets = to_device(targets)
        check_targets(self, logits, targets)
        rows, ids = flatten_positions(logits), targets.reshape(-1)  # (N, V), (N,)
        real = ids != self.pad_id if self.pad_id is not None else xp.ones(ids.shape, bool)
        weights = real.astype(rows.dtype)[:, None] / (
            n_tokens or max(int(real.sum()), 1)
        )  # (N, 1), zero on padding
        at_target = xp.arange(len(ids)), ids

        # With z = logits - max, log softmax = z - log(sum exp z), and q sums to one, so
        #   -sum q log softmax = log(sum exp z) - (1 - eps) z_target - eps mean(z)
        z = rows - row_max(rows)  # (N, V)
        target_z, mean_z = z[at_target][:, None], row_mean(z)  # (N, 1)
        exp_z = xp.exp(z, out=z)  # (N, V), in the memory of z, which is not used any more
        total = row_sum(exp_z)  # (N, 1)
        losses = xp.log(total) - (1 - self.eps) * target_z - self.eps * mean_z  # (N, 1)
        return self.remember(
            float((losses * weights).sum()), exp_z, total, at_target, weights, logits.shape
        )

    def backward(self, dloss: float = 1.0):
        exp_z, total, at_target, weights, shape = self.recall(dloss)
        weights = weights * dloss  # (N, 1)

        # d(row loss) / dlogits = softmax(logits) - q,   softmax = exp(z) / total,   q = (1 - eps) onehot + eps / V
        dlogits = exp_z * (weights / total)  # (N, V)
        dlogits -= weights * (self.eps / shape[-1])
        dlogits[at_target] -= weights[:, 0] * (1 - self.eps)
        return dlogits.reshape(shape), None  # (..., V)
