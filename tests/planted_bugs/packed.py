"""Bugs of texts that are packed."""

from functools import partial

import test_kept_logits as kept_logits
import test_kv_cache as kv_cache
import test_objective as objective
import test_packed as models
import test_packing as packing
from npformer.layers.packing import Packing

from npformer.decoding import CachedDecoder
from npformer.layers import FirstTokenPooling, MultiHeadAttention
from npformer.models import Classifier, LanguageModel, Transformer, transformer
from npformer.models.input_embedding import InputEmbedding
from npformer.tasks import Objective

from .plant import bug, gradients

SELF, CROSS = partial(packing.test_self_attention, {}), packing.test_cross_attention
PAPER = partial(models.test_transformer, {})

PACKED = [
    bug(
        "unpack: padding is not zero",
        SELF,
        (Packing, "unpack", "padded = xp.zeros(", "padded = 7 + xp.zeros("),
    ),
    bug("unpack: the first places, whatever is real", SELF, (Packing, "unpack", "self.places]", ": len(x)]")),
    bug("pack: the first places, whatever is real", SELF, (Packing, "pack", "x.take(self.places, 0)", "x[: self.n]")),
    bug("packed: padding as what is real", SELF, (MultiHeadAttention, "attend", "mask.padding", "~mask.padding")),
    bug(
        "packed: padding of the queries for that of the keys",
        CROSS,
        (MultiHeadAttention, "attend", "mask.padding", "mask.queries.real[:, None]"),
    ),
    bug(
        "packed: padding hidden from nobody",
        SELF,
        (MultiHeadAttention, "attend", "mask.padding if packing", "None if packing"),
    ),
    bug(
        "packed: keys laid out as the queries are",
        CROSS,
        (
            MultiHeadAttention,
            "forward",
            "self.project(key, value, keys_of(mask))",
            "self.project(key, value, queries_of(mask))",
        ),
    ),
    bug(
        "packed, backward: keys and queries exchanged",
        CROSS,
        (MultiHeadAttention, "forward", "queries_of(mask), keys_of(mask))", "keys_of(mask), queries_of(mask))"),
    ),
    bug(
        "packed, backward: the keys' gradient laid out as the queries'",
        gradients("CrossAttention, packed"),
        (MultiHeadAttention, "backward", "merge_heads(dk, keys)", "merge_heads(dk, queries)"),
    ),
    bug(
        "packed: cross-attention shown the source as its queries' places",
        PAPER,
        (Transformer, "decode", "PackedMask(mask.queries, memory_mask.keys)", "PackedMask(*memory_mask)"),
    ),
    bug(
        "packed: a model that computes padding all the same",
        PAPER,
        (Transformer, "forward", "packed=packed", "packed=False"),
    ),
    bug(
        "packed: a language model that computes padding all the same",
        models.test_language_model,
        (LanguageModel, "forward", "packed_mask(mask) if packed", "packed_mask(mask) if False"),
    ),
    bug(
        "packed: a classifier that computes padding all the same",
        models.test_a_classifiers_readers_are_given_no_padding,
        (Classifier, "forward", "packed and self", "False and self"),
    ),
    bug(
        "packed: a start token that is padding is left out",
        models.test_a_target_that_begins_with_padding_as_marians_do,
        (transformer, "target_mask", "mask[..., 0] = True", "pass"),
    ),
    bug(
        "packed: embeddings dropped out before they are packed",
        partial(models.test_no_layer_between_attentions_is_given_padding, kind=models.Dropout, d_word_vec=None),
        (
            InputEmbedding,
            "forward",
            "self.dropout.forward(packing.pack(x) if packing else x)",
            "packing.pack(self.dropout.forward(x))",
        ),
    ),
    bug(
        "FirstTokenPooling: the first place, token or padding",
        partial(models.test_classifier, "attention", "first"),
        (FirstTokenPooling, "forward", "x[:, 0] * some", "x[:, 0].copy()"),
        (FirstTokenPooling, "backward", "dy * some", "dy"),
    ),
    bug(
        "read: padding is seen",
        partial(kv_cache.test_a_text_read_at_once_or_in_parts_is_read_as_a_whole, 1, 0, (5, 12)),
        (CachedDecoder, "read", "near & mask", "near"),
    ),
    bug(
        "objective: the gradient over logits that the last layer remembers",
        partial(kept_logits.test_logits_stay_as_they_are_where_the_model_says_that_it_keeps_them),
        (Objective, "forward", "not self.model.keeps_output", "True"),
    ),
    bug(
        "objective: targets of the places whose targets count",
        objective.test_a_target_that_is_not_to_count_may_stand_after_a_token,
        (Objective, "loss_of", "target_mask(batch.inputs[-1], self.model.config)[:, 0]", "targets != 0"),
    ),
]
