"""Bugs of what models of others have: SiLU, positions in halves, norms, the generator's bias, the start token."""

from functools import partial

import test_beam as beams
import test_contract as contract
import test_kv_cache as cached
import test_other_conventions as others
import test_source_marks as marks
import test_start_token as starts

from npformer.decoding import beam as search
from npformer.decoding import greedy
from npformer.layers import Generator, SiLU, positional_encoding
from npformer.models import Transformer, decoder, encoder
from npformer.models import embeddings as embedded_tokens
from npformer.models.embeddings import InputEmbedding
from npformer.tasks import TranslationBatch, TranslationTask, Translator
from npformer.visualization import attention

from .plant import bug, gradients

SLOPE = gradients("SiLU")
FOOT_AND_END = gradients("Transformer, embedding and final norms", 1)
FOOT = partial(others.test_embedding_norm_follows_positions_and_dropout, column="decoder")
ENDS = partial(others.test_final_norm_exists_if_requested_or_pre_norm, norm="post")
SEEN = partial(others.test_target_mask_shows_padding_only_as_start_token, 0, None)
HALVES = others.test_sinusoids_in_halves_equal_marian
STEPS = partial(cached.test_cached_step_equals_whole_prefix, dtype="float64", src=cached.SRC)
FROM_PAD = partial(STEPS, {"start_id": 0, "generator_bias": True})
BEGINS = starts.test_start_id_defaults_to_the_config
BOTH = {"marks": "both", "before": [2], "behind": [3]}
MARKED = partial(marks.test_source_is_encoded_with_its_special_tokens, **BOTH)
LOSS_OF_MARKED = partial(marks.test_reference_loss_uses_source_with_special_tokens, **BOTH)
ROOM = partial(marks.test_source_length_limit_includes_special_tokens, **BOTH)
LARGE = beams.test_most_probable_tokens_of_large_vocabulary
NO_PADDING = starts.test_padding_is_never_generated
SHARE = starts.test_padding_is_included_in_softmax_normalization
BIAS = others.test_generator_bias_is_added_to_logits
LIMIT = partial(
    beams.test_exhaustive_beam_finds_global_optimum, alpha=1.5, penalty="length", seed=0
)
LOSS = starts.test_reference_loss_uses_start_id_of_config
LOOKED = starts.test_attention_weights_use_start_id_of_config

OF_OTHERS = [
    bug(
        "SiLU: the slope without x s(x) s(-x)",
        SLOPE,
        (SiLU, "backward", " * (1 + x * (1 - sigmoid))", ""),
    ),
    bug("SiLU: the slope of |x|", SLOPE, (SiLU, "backward", "1 + x *", "1 + abs(x) *")),
    bug(
        "SiLU.backward: dy changed in place",
        partial(contract.test_inputs_and_parameters_are_not_modified, "SiLU"),
        (SiLU, "backward", "return dy * sigmoid", "dy *= 1\n    return dy * sigmoid"),
    ),
    bug(
        "Generator.backward: the bias without a gradient",
        gradients("Generator with bias"),
        (Generator, "backward", "self.bias.grad += column_sum(dlogits)", "pass"),
    ),
    bug(
        "Generator.backward: the bias's gradient overwritten",
        partial(contract.test_parameter_gradients_accumulate, "Generator with bias"),
        (Generator, "backward", "self.bias.grad +=", "self.bias.grad[...] ="),
    ),
    bug(
        "generator_bias: ignored",
        partial(BIAS, tie="none"),
        (Transformer, "__init__", "bias=config.generator_bias", "bias=False"),
    ),
    bug(
        "positions in halves: cosines first",
        HALVES,
        (
            positional_encoding,
            "sinusoids",
            "concatenate([np.sin(angle), np.cos(angle)]",
            "concatenate([np.cos(angle), np.sin(angle)]",
        ),
    ),
    bug(
        "positions in halves: in turn",
        HALVES,
        (positional_encoding, "sinusoids", "if halves:", "if False:"),
    ),
    bug(
        "positions in halves: not handed on",
        partial(others.test_positions_in_halves_are_used_in_both_stacks, column="encoder"),
        (InputEmbedding, "__init__", "halves=halves, ", ""),
    ),
    bug(
        "norm at the foot: before the dropout",
        FOOT,
        (InputEmbedding, "forward", "self.norm.forward(x) if self.norm else x", "x"),
        (
            InputEmbedding,
            "forward",
            "self.dropout.forward(self.positions.forward(x, start))",
            "self.dropout.forward(self.norm.forward(self.positions.forward(x, start)))",
        ),
    ),
    bug(
        "norm at the foot: its backward forgotten",
        FOOT_AND_END,
        (InputEmbedding, "backward", "self.norm.backward(dx) if self.norm else dx", "dx"),
    ),
    bug(
        "norm at the foot: eps not passed on",
        FOOT,
        (embedded_tokens, "make_layer_norm", "eps=config.layer_norm_eps, ", ""),
    ),
    bug(
        "final_norm: ignored",
        partial(ENDS, final_norm=True, there={"post"}),
        (decoder, "make_final_norm", " if config.final_norm is None else config.final_norm", ""),
    ),
    bug(
        "final_norm: none where it is not asked for",
        partial(ENDS, norm="pre", final_norm=None, there={"pre"}),
        (encoder, "make_final_norm", 'config.norm == "pre" if config.final_norm is None else', ""),
    ),
    bug(
        "start that is padding: hidden",
        SEEN,
        (others, "target_mask", "mask[..., 0] = True", "pass"),
    ),
    bug(
        "start that is padding: all padding seen",
        SEEN,
        (others, "target_mask", "mask[..., 0]", "mask[...]"),
    ),
    bug(
        "greedy: always begins with <bos>",
        partial(BEGINS, way="greedy"),
        (
            greedy,
            "write_token_by_token",
            "config.start_id if bos_id is None",
            "2 if bos_id is None",
        ),
    ),
    bug(
        "beam search: always begins with <bos>",
        partial(BEGINS, way="beam"),
        (starts, "beam_search", "config.start_id if bos_id is None", "2 if bos_id is None"),
    ),
    bug(
        "sampling: bos_id is not heard",
        partial(BEGINS, way="sample"),
        (starts, "sample", "bos_id=bos_id", "bos_id=None"),
    ),
    bug(
        "greedy: <pad> may come out",
        partial(NO_PADDING, way="greedy", start_id=2),
        (greedy, "write_token_by_token", "forbid_padding(logits, config.pad_id)", "pass"),
    ),
    bug(
        "beam search: <pad> may come out",
        partial(NO_PADDING, way="beam", start_id=2),
        (search, "_most_probable", "forbid_padding(log_p, pad_id)", "pass"),
    ),
    bug(
        "beam search: what <pad> may not have is shared out",
        SHARE,
        (
            search,
            "_most_probable",
            "z = logits - row_max",
            "forbid_padding(logits, pad_id)\n    z = logits - row_max",
        ),
    ),
    bug(
        "beam search: exp of scores as large as they come",
        LARGE,
        (beams, "_most_probable", "logits - row_max(logits)", "logits"),
    ),
    bug(
        "beam search: all hypotheses have the first one's log P so far",
        LARGE,
        (beams, "_most_probable", "scores[..., None] + z", "scores[:, :1, None] + z"),
    ),
    bug(
        "length penalty: what is finished has Wu's, whatever was asked for",
        LIMIT,
        (
            beams,
            "beam_search",
            "search.length_penalty(dec",
            "Search(alpha=alpha).length_penalty(dec",
        ),
    ),
    bug(
        "length penalty: what is open has Wu's, and is given up too early",
        LIMIT,
        (
            beams,
            "beam_search",
            "search.length_penalty(lim",
            "Search(alpha=alpha).length_penalty(lim",
        ),
    ),
    bug(
        "batch: targets always begin with <bos>",
        LOSS,
        (TranslationBatch, "of", "cls.start_id", "BOS"),
    ),
    bug(
        "batch: sources always end in <eos> alone",
        MARKED,
        (TranslationBatch, "of", ", cls.source_marks", ""),
    ),
    bug(
        "translator: sources always end in <eos> alone",
        MARKED,
        (Translator, "encode", "return marked(ids, marks)", "return marked(ids)"),
    ),
    bug(
        "translator: room for one mark alone",
        ROOM,
        (Translator, "encode", "max_len, marks)", "max_len)"),
    ),
    bug(
        "evaluate: sources always end in <eos> alone",
        LOSS_OF_MARKED,
        (TranslationTask, "score", "marked(src, marks)", "marked(src)"),
    ),
    bug(
        "evaluate: room for one mark alone",
        ROOM,
        (TranslationTask, "score", "fits(src, max_len, marks)", "fits(src, max_len)"),
    ),
    bug(
        "attention of a sentence: no <bos> before its source",
        partial(marks.test_attention_tokens_include_source_special_tokens, **BOTH),
        (attention, "_while_translating", "[*before, ", "["),
    ),
    bug(
        "links of words: no <bos> before the source",
        partial(marks.test_alignment_links_ignore_source_special_tokens, **BOTH),
        (marks, "attention_error_rates", "[*before, ", "["),
    ),
    bug(
        "evaluate: references always begin with <bos>",
        LOSS,
        (TranslationTask, "score", "kind=self.batch.of_model(config), ", ""),
    ),
    bug(
        "attention of a sentence: always after <bos>",
        partial(LOOKED, translation="e a", start_id=7),
        (attention, "_while_translating", "[[start_id, *output]]", "[[2, *output]]"),
    ),
]
