"""Cross-entropy with label smoothing: paper section 5.4."""

from numbers import Real

from ..backend import to_device, xp
from ..module import Module
from ..utils import InputError
from .reductions import flat, row_max, row_mean, row_sum
from .validation import check_floats, check_ids


class LabelSmoothingLoss(Module):
    """Cross-entropy between softmax(logits) and a target that is nearly one-hot, as a mean over real tokens.

        q = (1 - eps) onehot(target) + eps / V          Szegedy et al. 2016, section 7; paper section 5.4
        L = mean over real tokens of  -sum_v q_v log softmax(logits)_v

    logits are (..., V), targets are ids of shape (...). Rows whose target is pad_id count for nothing; when no row
    is left the loss is 0, and with pad_id None every row counts. eps = 0 is plain cross-entropy, and exp of it the
    perplexity. forward returns a float.

    Where a batch is a share of a larger one, `forward(logits, targets, n_tokens)` takes the real tokens of all shares,
    and the losses and gradients of the shares add up to those of the whole. With `overwrite` the gradient is written
    over the logits, which must be needed by nobody else: one array of their size less.

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
        if not (isinstance(eps, Real) and 0 <= eps < 1):
            raise InputError(f"label smoothing eps = {eps!r}: expected 0 <= eps < 1")
        self.eps = eps
        self.pad_id = pad_id

    @property
    def label(self) -> str:
        return f"LabelSmoothingLoss({self.eps})"

    def forward(self, logits, targets, n_tokens: int | None = None):  # (..., V), (...)
        check_floats(self, logits)
        targets = to_device(targets)
        if targets.shape != logits.shape[:-1]:
            raise InputError(f"targets have shape {targets.shape}: expected {logits.shape[:-1]}, one for each row")
        check_ids(self, targets, logits.shape[-1])
        rows, ids = flat(logits), targets.reshape(-1)  # (N, V), (N,)
        real = xp.ones(ids.shape, bool) if self.pad_id is None else ids != self.pad_id
        weights = real.astype(rows.dtype)[:, None] / (n_tokens or max(int(real.sum()), 1))  # (N, 1), zero on padding
        at_target = xp.arange(len(ids)), ids

        # With z = logits - max, log softmax = z - log(sum exp z), and q sums to one, so
        #   -sum q log softmax = log(sum exp z) - (1 - eps) z_target - eps mean(z)
        z = rows - row_max(rows)  # (N, V)
        target_z, mean_z = z[at_target][:, None], row_mean(z)  # (N, 1)
        softmax = xp.exp(z, out=z)
        total = row_sum(softmax)  # (N, 1)
        softmax /= total  # (N, V)
        losses = xp.log(total) - (1 - self.eps) * target_z - self.eps * mean_z  # (N, 1)
        return self.remember(float((losses * weights).sum()), softmax, at_target, weights, logits.shape)

    def backward(self, dloss: float = 1.0):
        softmax, at_target, weights, shape = self.recall(dloss)

        # d(row loss) / dlogits = softmax - q,   q = (1 - eps) onehot + eps / V
        dlogits = softmax - self.eps / shape[-1]  # (N, V)
        dlogits[at_target] -= 1 - self.eps
        dlogits *= weights * dloss
        return dlogits.reshape(shape), None
