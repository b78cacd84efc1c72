"""Cross-entropy with label smoothing: paper section 5.4."""

from ..backend import to_device, xp
from ..errors import InputError
from ..layers.checks import check_ids
from ..layers.rows import flat, row_dot, row_max
from ..module import Module


class LabelSmoothingLoss(Module):
    """Cross-entropy between softmax(logits) and a target that is nearly one-hot, as a mean over real tokens.

        q = (1 - eps) onehot(target) + eps / V          Szegedy et al. 2016, eq. 7-8; paper section 5.4
        L = mean over real tokens of  -sum_v q_v log softmax(logits)_v

    logits are (..., V), targets are ids of shape (...). Rows whose target is pad_id count for nothing; when no row
    is left the loss is 0. eps = 0 is plain cross-entropy, and exp of it the perplexity. forward returns a float.

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

    def __init__(self, *, eps: float = 0.1, pad_id: int = 0):
        if not 0 <= eps < 1:
            raise InputError(f"label smoothing eps = {eps}: expected 0 <= eps < 1")
        self.eps = eps
        self.pad_id = pad_id

    def __repr__(self):
        return f"LabelSmoothingLoss({self.eps})"

    def forward(self, logits, targets):  # (..., V), (...)
        targets = to_device(targets)
        if targets.shape != logits.shape[:-1]:
            raise InputError(f"targets have shape {targets.shape}: expected {logits.shape[:-1]}, one for each row")
        check_ids(self, targets, logits.shape[-1])
        rows, ids = flat(logits), targets.reshape(-1)  # (N, V), (N,)
        ones = xp.ones(rows.shape[-1], rows.dtype)  # (V,)
        real = (ids != self.pad_id).astype(rows.dtype)[:, None]  # (N, 1)
        n_real = max(int(real.sum()), 1)

        # With z = logits - max, log softmax = z - log(sum exp z), and q sums to one, so
        #   -sum q log softmax = log(sum exp z) - (1 - eps) z_target - eps mean(z)
        z = rows - row_max(rows)  # (N, V)
        target_z = z[xp.arange(len(ids)), ids][:, None]  # (N, 1)
        mean_z = row_dot(z, ones) / len(ones)  # (N, 1)
        exp_z = xp.exp(z, out=z)  # (N, V)
        total = row_dot(exp_z, ones)  # (N, 1)
        row_loss = xp.log(total) - (1 - self.eps) * target_z - self.eps * mean_z  # (N, 1)
        self.keep(exp_z, total, ids, real / n_real, logits.shape)
        return float((row_loss * real).sum() / n_real)

    def backward(self, dloss: float = 1.0):
        exp_z, total, ids, weight, shape = self.kept()
        weight = weight * dloss  # (N, 1), zero on padding

        # The gradient of cross-entropy after softmax is softmax - q, weighed by each row's share in the mean.
        dlogits = exp_z * (weight / total)  # (N, V)
        dlogits -= weight * (self.eps / dlogits.shape[-1])
        dlogits[xp.arange(len(ids)), ids] -= weight[:, 0] * (1 - self.eps)
        return dlogits.reshape(shape), None  # (..., V)
