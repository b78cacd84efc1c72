"""Bugs of attention by blocks: what is carried from block to block, who sees whom in a tile, and where settings go."""

from functools import partial

import test_attention_setting as setting
import test_blockwise_attention as blockwise
import test_whole_model as whole

from npformer.layers import FlashAttention, MultiHeadAttention, ScaledDotProductAttention, SelfAttention
from npformer.layers.extra.tiles import Tiles
from npformer.models import build as sublayers

from .plant import bug, gradients

EQUAL = partial(blockwise.test_it_is_the_plain_attention, 3, False, "no mask")
PADDED = partial(blockwise.test_it_is_the_plain_attention, 3, False, "padding")
MASKED = partial(blockwise.test_it_is_the_plain_attention, 3, False, "(B, 1, T, S)")
CAUSAL = partial(blockwise.test_it_is_the_plain_attention, 3, True, "no mask")
GRADIENTS, WITH_DROPOUT = gradients("FlashAttention"), gradients("FlashAttention, causal, with dropout")
ZEROS = partial(blockwise.test_a_text_of_padding_has_zeros_and_no_gradient, "float64")


def line(name, test, method, right, wrong):
    """Return a bug in a method of FlashAttention."""
    return bug(f"blockwise attention: {name}", test, (FlashAttention, method, right, wrong))


def tile(name, test, method, right, wrong):
    """Return a bug in a method of Tiles."""
    return bug(f"tiles: {name}", test, (Tiles, method, right, wrong))


BLOCKWISE = [
    line("the peak of each block alone", PADDED, "forward", "xp.maximum(peak, row_max(scores))", "row_max(scores)"),
    line("the first block's peak for all", EQUAL, "forward", "xp.exp(before - peak)", "xp.exp(peak - before)"),
    line("the earlier total not rescaled", EQUAL, "forward", "shrink * total + row_sum", "total + row_sum"),
    line("the earlier sum of values not rescaled", EQUAL, "forward", "shrink * mixed + self", "mixed + self"),
    line("the row's total kept without its peak", EQUAL, "forward", "= peak + xp.log(total)", "= xp.log(total)"),
    line("a row without any True is 0 / 0", ZEROS, "forward", "total += total == 0", "pass"),
    line("the peak begins at -inf", ZEROS, "forward", "xp.finfo(query.dtype).min", "-xp.inf"),
    line("sqrt(d_v) for sqrt(d_k)", EQUAL, "forward", "math.sqrt(query.shape[-1])", "math.sqrt(value.shape[-1])"),
    line("backward without dy . y", GRADIENTS, "backward", "dweights -= along_y", "pass"),
    line("backward: no 1 / sqrt(d_k) in dquery", GRADIENTS, "backward", "dquery *= 1 / math", "dquery / math"),
    line(
        "backward: dvalue of the last queries alone",
        GRADIENTS,
        "backward",
        "dvalue[tile.keys] +=",
        "dvalue[tile.keys] =",
    ),
    line("backward: dkey of the last queries alone", GRADIENTS, "backward", "dkey[tile.keys] +=", "dkey[tile.keys] ="),
    line("backward: dquery of the last keys alone", GRADIENTS, "backward", "dquery[rows] +=", "dquery[rows] ="),
    line("the mask forgotten", MASKED, "tiles", "Tiles(shape, mask,", "Tiles(shape, None,"),
    line("the future visible", CAUSAL, "tiles", "causal=self.causal", "causal=False"),
    line(
        "backward: another tile's dropout",
        blockwise.test_backward_has_the_masks_of_forward,
        "backward",
        "self.drop(weights, tile, seed)",
        "self.drop(weights, tile._replace(number=tile.number ^ 1), seed)",
    ),
    line(
        "backward: dropout forgotten",
        WITH_DROPOUT,
        "backward",
        "swapaxes(-1, -2), tile, seed)",
        "swapaxes(-1, -2), tile, None)",
    ),
    line(
        "one dropout mask for all tiles",
        blockwise.test_dropout_drops_so_many_weights_anew_in_each_tile_and_each_forward,
        "drop",
        "[seed, tile.number]",
        "[seed, 0]",
    ),
    line(
        "the same dropout at every forward",
        blockwise.test_dropout_drops_so_many_weights_anew_in_each_tile_and_each_forward,
        "draw_seed",
        "int(self.dropout.rng.integers(2**63))",
        "0",
    ),
    line(
        "dropout in eval mode too",
        blockwise.test_dropout_drops_so_many_weights_anew_in_each_tile_and_each_forward,
        "draw_seed",
        "self.dropout.now.drop_out and ",
        "",
    ),
    line(
        "short texts go by blocks too",
        blockwise.test_short_texts_go_the_plain_way_and_each_backward_knows_which_it_was,
        "forward",
        "query.shape[-2] < self.plain_below",
        "False",
    ),
    tile(
        "the last block is left out where it is short",
        EQUAL,
        "blocks",
        "range(0, length,",
        "range(0, length // self.block * self.block,",
    ),
    tile(
        "the last key that a block of queries sees is left out", CAUSAL, "row", "+ rows.stop if", "+ rows.stop - 1 if"
    ),
    tile(
        "causal as if the queries were the first",
        CAUSAL,
        "row",
        "self.n_keys - self.n_queries + rows.stop",
        "rows.stop",
    ),
    tile(
        "causal, the future is computed and not hidden at a block's edge",
        partial(blockwise.test_who_sees_whom, 2),
        "hidden",
        "columns.stop - 1 > newest",
        "columns.stop - 2 > newest",
    ),
    tile(
        "causal, one position of the future visible",
        CAUSAL,
        "hidden",
        ") > xp.arange(newest,",
        ") - 1 > xp.arange(newest,",
    ),
    tile("causal hides a position from itself", CAUSAL, "hidden", ") > xp.arange(newest,", ") >= xp.arange(newest,"),
    tile("the first sentence's mask for all", MASKED, "hidden", "places[heads]", "places[:1]"),
    tile(
        "a mask beside causal forgotten",
        partial(CAUSAL.func, 3, True, "padding"),
        "hidden",
        "hidden | unseen",
        "hidden",
    ),
    tile(
        "tiles in the future are computed",
        partial(blockwise.test_tiles_in_the_future_are_left_out_and_all_others_come_once, 9, 9),
        "row",
        " if self.causal else self.n_keys",
        " if False else self.n_keys",
    ),
    tile(
        "all heads in one tile",
        blockwise.test_tiles_of_few_heads_fit_the_cache,
        "__iter__",
        "cache_chunks(self.n_heads, height * width)",
        "[slice(0, self.n_heads)]",
    ),
    bug(
        "self-attention: causal is not handed on",
        partial(whole.test_causality, whole.SETTINGS[0]),
        (SelfAttention, "__init__", "self.attention.causal = causal", "pass"),
    ),
    bug(
        "plain attention: causal for queries that are the first, not the last",
        partial(blockwise.test_causal_is_a_mask_of_the_past_where_the_queries_are_the_last, ScaledDotProductAttention),
        (
            ScaledDotProductAttention,
            "without_future",
            "causal_mask(n_queries, n_keys - n_queries)",
            "causal_mask(n_keys)[:n_queries]",
        ),
    ),
    bug(
        "multi-head attention: short texts go by blocks too",
        partial(blockwise.test_multi_head_attention_hands_length_dropout_and_generator_on, MultiHeadAttention, 3),
        (MultiHeadAttention, "__init__", "plain_below=blockwise_from, ", ""),
    ),
    bug(
        "multi-head attention: by blocks nothing is dropped out",
        partial(blockwise.test_multi_head_attention_hands_length_dropout_and_generator_on, MultiHeadAttention, 3),
        (MultiHeadAttention, "__init__", "plain_below=blockwise_from, dropout=dropout,", "plain_below=blockwise_from,"),
    ),
    bug(
        "models: attention by blocks never arrives",
        setting.test_auto_goes_by_blocks_from_the_length_where_it_pays,
        (sublayers, "attention", "config.blockwise_from", "None"),
    ),
]
