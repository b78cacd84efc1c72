"""Bugs of Softmax and of the loss."""

from functools import partial

import test_reference as reference
import test_reference_training as training
import test_whole_model as whole

from npformer.layers import Softmax
from npformer.tasks import LabelSmoothingLoss

from .plant import bug, gradients

SOFTMAX_AND_LOSS = [
    bug(
        "Softmax.backward: divided by the batch size",
        gradients("Softmax, masked"),
        (Softmax, "backward", "return y * (dy", "return y / len(y) * (dy"),
    ),
    bug(
        "Softmax.backward: only the diagonal of the Jacobian",
        gradients("Softmax"),
        (Softmax, "backward", "y * (dy - row_sum(dy * y))", "dy * y * (1 - y)"),
    ),
    bug(
        "Softmax: a row of nothing but masked scores divides by zero",
        partial(whole.test_source_of_only_padding_stays_finite, whole.SETTINGS[0]),
        (Softmax, "forward", "xp.where(hidden, 1, row_sum(y))", "row_sum(y)"),
    ),
    bug(
        "Softmax: -1e9 for -inf, so that a fully masked row has equal weights and a gradient",
        gradients("Softmax, masked", None),  # that row is among all entries
        (Softmax, "forward", "x, -xp.inf)", "x, -1e9)"),
    ),
    bug(
        "Softmax: no maximum subtracted",
        reference.test_softmax_of_large_scores,
        (Softmax, "forward", "x - xp.where(hidden, 0, peak)", "x"),
    ),
    bug(
        "loss: gradient divided by the token count twice",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "backward", "weights * dloss", "weights * weights * dloss"),
    ),
    bug(
        "loss: divided by the token count twice in both directions",
        training.test_loss_of_uniform_prediction_is_log_v,
        (
            LabelSmoothingLoss,
            "forward",
            "/ (n_tokens or max(int(real.sum()), 1))",
            "/ (n_tokens or max(int(real.sum()), 1)) ** 2",
        ),
    ),
    bug(
        "loss: a mean over all rows, padding counted",
        training.test_loss_of_uniform_prediction_is_log_v,
        (LabelSmoothingLoss, "forward", "max(int(real.sum()), 1)", "len(rows)"),
    ),
    bug(
        "loss: padding rows have a gradient",
        gradients("LabelSmoothingLoss"),
        (
            LabelSmoothingLoss,
            "backward",
            "weights * dloss",
            "(0 * weights + weights.max()) * dloss",
        ),
    ),
    bug(
        "loss: eps / (V - 1) in both directions",
        partial(training.test_label_smoothing_loss, 0.1),
        (
            LabelSmoothingLoss,
            "forward",
            "(1 - self.eps) * target_z - self.eps * mean_z",
            "(1 - e) * target_z - e * mean_z",
        ),
        (
            LabelSmoothingLoss,
            "forward",
            "z = rows -",
            "e = self.eps * rows.shape[1] / (rows.shape[1] - 1)\n    z = rows -",
        ),
        (LabelSmoothingLoss, "backward", "self.eps / shape[-1]", "self.eps / (shape[-1] - 1)"),
        (
            LabelSmoothingLoss,
            "backward",
            "1 - self.eps",
            "1 - self.eps * shape[-1] / (shape[-1] - 1)",
        ),
    ),
    bug(
        "loss: smoothing forgotten in the gradient",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "backward", "dlogits -= weights * (self.eps / shape[-1])", "pass"),
    ),
    bug(
        "loss.backward: dloss forgotten",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "backward", "weights * dloss", "weights"),
    ),
]
