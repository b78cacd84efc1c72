"""Bugs of FlashAttention: what is carried from tile to tile, and which keys a tile sees."""

from functools import partial

import test_attention_setting as setting
import test_flash_attention as flash
import test_whole_model as whole

from npformer.layers import FlashAttention, ScaledDotProductAttention
from npformer.models import decoder, sublayers

from .plant import bug, gradients

EQUAL = partial(flash.test_flash_attention_equals_plain_attention, 3, False, "no mask")
PADDED = partial(flash.test_flash_attention_equals_plain_attention, 3, False, "padding")
MASKED = partial(flash.test_flash_attention_equals_plain_attention, 3, False, "(B, 1, T, S)")
CAUSAL = partial(flash.test_flash_attention_equals_plain_attention, 3, True, "no mask")
GRADIENTS, WITH_DROPOUT = (
    gradients("FlashAttention"),
    gradients("FlashAttention, causal, with dropout"),
)
DROPOUT = flash.test_dropout_masks_differ_between_tiles_and_forwards
ZEROS = partial(flash.test_text_of_only_padding_has_zero_output_and_gradient, "float64")


def line(name, test, method, right, wrong):
    """Return a bug in a method of FlashAttention."""
    return bug(f"FlashAttention: {name}", test, (FlashAttention, method, right, wrong))


FLASH = [
    line(
        "the peak of each tile alone",
        PADDED,
        "forward",
        "xp.maximum(peak, row_max(scores))",
        "row_max(scores)",
    ),
    line(
        "the first tile's peak for all",
        EQUAL,
        "forward",
        "xp.exp(before - peak)",
        "xp.exp(peak - before)",
    ),
    line(
        "the earlier total not rescaled",
        EQUAL,
        "forward",
        "shrink * total + row_sum",
        "total + row_sum",
    ),
    line(
        "the earlier sum of values not rescaled",
        EQUAL,
        "forward",
        "shrink * mixed + self",
        "mixed + self",
    ),
    line(
        "the row's total kept without its peak",
        EQUAL,
        "forward",
        "= peak + xp.log(total)",
        "= xp.log(total)",
    ),
    line("a fully masked row is 0 / 0", ZEROS, "forward", "total + (total == 0)", "total"),
    line("the peak begins at -inf", ZEROS, "forward", "xp.finfo(query.dtype).min", "-xp.inf"),
    line("sqrt(d_v) for sqrt(d_k)", EQUAL, "_scores", "/ math.sqrt(query.shape[-1])", "/ 2"),
    line("backward without dy . y", GRADIENTS, "backward", " - along_y[..., rows, :]", ""),
    line("backward: no 1 / sqrt(d_k)", GRADIENTS, "backward", " * scale", ""),
    line(
        "backward: dvalue of the last queries",
        GRADIENTS,
        "backward",
        "dvalue[..., columns, :] +=",
        "dvalue[..., columns, :] =",
    ),
    line(
        "backward: dkey of the last queries",
        GRADIENTS,
        "backward",
        "dkey[..., columns, :] +=",
        "dkey[..., columns, :] =",
    ),
    line(
        "backward: dquery of the last keys",
        GRADIENTS,
        "backward",
        "dquery[..., rows, :] +=",
        "dquery[..., rows, :] =",
    ),
    line("the mask forgotten", MASKED, "_scores", "if mask is not None:", "if False:"),
    line("the future visible", CAUSAL, "_scores", "if self.causal:", "if False:"),
    line("one position of the future visible", CAUSAL, "_scores", "<= newest", "<= newest + 1"),
    line("a position is hidden from itself", CAUSAL, "_scores", "<= newest", "< newest"),
    line(
        "causal as if the queries were the first",
        CAUSAL,
        "_scores",
        " + key.shape[-2] - query.shape[-2]",
        "",
    ),
    line(
        "backward: another tile's dropout",
        flash.test_backward_uses_dropout_masks_of_forward,
        "backward",
        "self._drop(weights, seed, rows, columns)",
        "self._drop(weights, seed, columns, rows)",
    ),
    line(
        "backward: dropout forgotten",
        WITH_DROPOUT,
        "backward",
        "self._drop(dweights, seed",
        "self._drop(dweights, None",
    ),
    line(
        "one dropout mask for all tiles",
        DROPOUT,
        "_drop",
        "[seed, rows.start, columns.start]",
        "[seed]",
    ),
    line(
        "the same dropout at every forward",
        DROPOUT,
        "forward",
        "int(self.dropout.rng.integers(2**63))",
        "0",
    ),
    line("dropout in eval mode too", DROPOUT, "forward", "self.dropout.training and ", ""),
    line(
        "the last tile is left out where it is short",
        EQUAL,
        "_tiles",
        "range(0, end, self.block)",
        "range(0, end - 1, self.block)",
    ),
    line(
        "the last key of a block of queries is left out",
        CAUSAL,
        "_tiles",
        "+ rows.stop if",
        "+ rows.stop - 1 if",
    ),
    bug(
        "self-attention: causal is not handed on",
        partial(whole.test_causality, whole.SETTINGS[0]),
        (decoder, "make_self_attention", '"causal": causal', '"causal": False'),
    ),
    bug(
        "plain attention: causal for queries that are the first, not the last",
        partial(flash.test_causal_equals_past_mask_for_last_queries, ScaledDotProductAttention),
        (ScaledDotProductAttention, "forward", "key.shape[-2] - query.shape[-2])", "0)[:, :1]"),
    ),
    bug(
        "models: FlashAttention is never chosen",
        partial(
            setting.test_attention_layers_have_the_requested_classes,
            {"attention": "flash"},
            ["FlashAttention"],
        ),
        (sublayers, "_attention_class", "if config.is_flash", "if False"),
    ),
]
