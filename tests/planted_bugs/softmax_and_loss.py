"""Bugs of Softmax and of the loss."""

from functools import partial

import test_contract as contract
import test_objective as objectives
import test_reference as reference
import test_reference_training as training
import test_rows
import test_whole_model as whole

from npformer.layers import Softmax
from npformer.models import LanguageModel, Transformer
from npformer.tasks import LabelSmoothingLoss, Objective

from .plant import bug, gradients

ONE_ARRAY = objectives.test_logits_and_their_gradient_are_one_array_which_is_gone_when_the_columns_begin

SOFTMAX_AND_LOSS = [
    bug(
        "Softmax.backward: divided by the batch size",
        gradients("Softmax, masked"),
        (Softmax, "backward", "return dx", "return dx / len(dx)"),
    ),
    bug(
        "Softmax.backward: only the diagonal of the Jacobian",
        gradients("Softmax"),
        (Softmax, "backward", "dx *= y", "dx = dy * y * (1 - y)"),
    ),
    bug(
        "Softmax: a row of nothing but masked scores divides by zero",
        partial(whole.test_a_source_of_nothing_but_padding_stays_finite, whole.SETTINGS[0]),
        (Softmax, "forward", "total += total == 0", "pass"),
    ),
    bug(
        "Softmax: -1e9 for -inf, so that a fully masked row has equal weights and a gradient",
        gradients("Softmax, masked"),
        (Softmax, "forward", "-xp.inf", "-1e9"),
    ),
    bug(
        "Softmax: no maximum subtracted",
        reference.test_softmax_of_large_scores,
        (Softmax, "forward", "y = x - peak if mask is None", "y = x - 0 if mask is None"),
    ),
    bug(
        "rows of middling length folded without their last entry",
        partial(test_rows.test_the_largest_of_a_row, 49),
        (test_rows, "row_max", "width // 2 :]", "width // 2 - 1 : -1]"),
    ),
    bug(
        "loss: gradient divided by the token count twice",
        gradients("LabelSmoothingLoss"),
        (
            LabelSmoothingLoss,
            "forward",
            "dlogits.reshape(logits.shape)",
            "dlogits.reshape(logits.shape) / n_tokens",
        ),
    ),
    bug(
        "loss: divided by the token count twice in both directions",
        training.test_the_loss_of_knowing_nothing_is_log_v,
        (LabelSmoothingLoss, "forward", "[:, None] / n_tokens", "[:, None] / n_tokens**2"),
    ),
    bug(
        "loss: a mean over all rows, padding counted",
        training.test_the_loss_of_knowing_nothing_is_log_v,
        (LabelSmoothingLoss, "forward", "max(int(real.sum()), 1)", "len(rows)"),
    ),
    bug(
        "loss: padding rows have a gradient",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "loss_of_rows", "dlogits *= weights / total", "dlogits *= weights.max() / total"),
    ),
    bug(
        "loss: eps / (V - 1) in both directions",
        partial(training.test_label_smoothing_loss, 0.1),
        (
            LabelSmoothingLoss,
            "loss_of_rows",
            "(1 - self.eps) * target_z - self.eps * mean_z",
            "(1 - e) * target_z - e * mean_z",
        ),
        (
            LabelSmoothingLoss,
            "loss_of_rows",
            "z = xp.subtract",
            "e = self.eps * vocab_size / (vocab_size - 1)\n    z = xp.subtract",
        ),
        (LabelSmoothingLoss, "loss_of_rows", "(self.eps / vocab_size)", "(e / vocab_size)"),
        (LabelSmoothingLoss, "loss_of_rows", "(1 - self.eps) * weights", "(1 - e) * weights"),
    ),
    bug(
        "loss: smoothing forgotten in the gradient",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "loss_of_rows", "dlogits -= weights * (self.eps / vocab_size)", "pass"),
    ),
    bug(
        "loss: only the first stretch of rows has a gradient",
        training.test_the_loss_of_many_rows_is_that_of_its_parts,
        (
            LabelSmoothingLoss,
            "forward",
            "cache_chunks(len(rows), rows.shape[-1])",
            "cache_chunks(len(rows), rows.shape[-1])[:1]",
        ),
    ),
    bug(
        "loss.backward: dloss forgotten",
        gradients("LabelSmoothingLoss"),
        (LabelSmoothingLoss, "backward", "dlogits * dloss", "dlogits"),
    ),
    bug(
        "loss: the gradient written over the logits, though nobody said that it may be",
        partial(contract.test_nothing_from_outside_is_changed, "LabelSmoothingLoss"),
        (LabelSmoothingLoss, "forward", "rows if overwrite else xp.empty_like(rows)", "rows"),
    ),
    bug(
        "Objective: an array for the logits and one for their gradient",
        partial(ONE_ARRAY, "Transformer"),
        (Objective, "forward", ", overwrite=not self.model.keeps_output", ""),
    ),
    bug(
        "Transformer.backward: holds on to the logits' gradient to its end",
        partial(ONE_ARRAY, "Transformer"),
        (Transformer, "backward", "del dlogits", "pass"),
    ),
    bug(
        "LanguageModel.backward: holds on to the logits' gradient to its end",
        partial(ONE_ARRAY, "LanguageModel"),
        (LanguageModel, "backward", "del dlogits", "pass"),
    ),
]
