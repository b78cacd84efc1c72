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

        q = (1 - eps) onehot(target) + eps / V
        L = mean over real tokens of  -sum_v q_v log softmax(logits)_v

    Szegedy et al. 2016, section 7; paper section 5.4. See `label_smoothing_loss` in
    npformer/slow_formulas.py for the same formula with scalar loops.

    logits are (..., V), targets are ids of shape (...). forward returns a float, and backward the
    gradient of the logits alone, because ids have none. `n_tokens` is the number of real tokens of
    a larger batch of which this one is a part: losses and gradients of all parts then add up to
    those of the whole.

    Arguments:
        eps: The probability that is spread over all V tokens; 0 is plain cross-entropy.
        pad_id: Positions with this target do not count; None counts all. It need not be an id,
            such as PyTorch's -100. The loss is 0 if no position counts.

    Raises `InputError` unless 0 <= eps < 1, targets have the shape of logits without V, and every
    target that counts is an id below V.

    >>> import numpy as np
    >>> loss = LabelSmoothingLoss(eps=0.1, pad_id=0)
    >>> logits, targets = np.zeros((2, 3, 10)), np.array([[4, 5, 0], [6, 0, 0]])
    >>> round(loss.forward(logits, targets), 4)  # log 10
    2.3026
    >>> dlogits = loss.backward()
    >>> dlogits.shape, float(dlogits[0, 2].sum())
    ((2, 3, 10), 0.0)
    """

    def __init__(self, *, eps: float = 0.1, pad_id: int | None = 0):
        check_probability(eps, "label smoothing eps")
        self.eps = float(eps)  # a float64 of NumPy would make all float64
        self.pad_id = pad_id

    @property
    def display_name(self) -> str:
        return f"LabelSmoothingLoss({self.eps})"

    def forward(self, logits, targets, n_tokens: int | None = None):  # (..., V), (...)
        targets = to_device(targets)
        real = xp.ones(targets.shape, bool) if self.pad_id is None else targets != self.pad_id
        targets = targets * real  # 0 for padding, which may be no id; its loss becomes 0 below
        check_targets(self, logits, targets)
        rows = flatten_positions(logits)  # (N, V)
        ids = targets.reshape(-1)  # (N,)
        token_weights = self._token_weights(real, n_tokens, rows.dtype)  # (N, 1)
        at_target = xp.arange(len(ids)), ids

        # With z = logits - max, log softmax = z - log(sum exp z), and q sums to one, so
        #   -sum q log softmax = log(sum exp z) - (1 - eps) z_target - eps mean(z)
        z = rows - row_max(rows)  # (N, V)
        exp_z = xp.exp(z)  # (N, V)
        total = row_sum(exp_z)  # (N, 1)
        target_z = z[at_target][:, None]  # (N, 1)
        losses = xp.log(total) - (1 - self.eps) * target_z  # (N, 1)
        if self.eps:  # 0 times a logit of -inf would be NaN
            losses = losses - self.eps * row_mean(z)
        losses[token_weights == 0] = 0  # 0 times an infinite loss would be NaN
        value = float((losses * token_weights).sum())
        return self.remember(value, exp_z, total, at_target, token_weights, logits.shape)

    def backward(self, dloss: float = 1.0):
        exp_z, total, at_target, token_weights, shape = self.recall(dloss)
        token_weights = token_weights * dloss  # (N, 1)

        # d(row loss) / dlogits = softmax(logits) - q,
        # softmax = exp(z) / total,   q = (1 - eps) onehot + eps / V
        dlogits = exp_z * (token_weights / total)  # (N, V)
        dlogits -= token_weights * (self.eps / shape[-1])
        dlogits[at_target] -= token_weights[:, 0] * (1 - self.eps)
        return dlogits.reshape(shape)  # (..., V)

    def _token_weights(self, real, n_tokens: int | None, dtype):  # (...)
        """Return how much each position counts in the mean: (N, 1), zero on padding."""
        if not n_tokens:
            n_tokens = max(int(real.sum()), 1)  # no division by 0 where all is padding
        return real.reshape(-1, 1).astype(dtype) / n_tokens
