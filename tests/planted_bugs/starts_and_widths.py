"""Bugs of how weights start, of embeddings that are not d_model wide, and of the cosine."""

from functools import partial

import test_cosine as cosine
import test_init as init
import test_word_vectors as word_vectors

from npformer.layers import FeedForward, Linear, MultiHeadAttention, linear, multi_head_attention
from npformer.models import Classifier, encoder, language_model, transformer
from npformer.models import build as sublayers
from npformer.models.embeddings import InputEmbedding, ProjectedGenerator
from npformer.training import CosineSchedule

from .plant import bug, gradients

NARROW = gradients("Transformer, narrow embeddings", 1)
VARIANCES = partial(init.test_every_matrix_has_the_variance_of_its_init, "glorot_normal")
PER_HEAD = partial(init.test_every_matrix_has_the_variance_of_its_init, "per_head")
HAS_MORE = partial(word_vectors.test_additional_parameters_of_transformer, 4)
CLOSED_FORM = cosine.test_cosine_schedule_equals_closed_form

STARTS_AND_WIDTHS = [
    bug(
        "init: half as wide as it says",
        VARIANCES,
        (linear, "initialize", "gain=gain)", "gain=gain / 2)"),
    ),
    bug("Linear: init not passed on", VARIANCES, (Linear, "__init__", "initialize(init, ", 'initialize("glorot", ')),
    bug("attention: init not passed on", VARIANCES, (sublayers, "_make_multi_head", ', "init": config.init', "")),
    bug(
        "feed-forward network: init not passed on",
        VARIANCES,
        (encoder, "make_feed_forward", '"init": config.init, ', ""),
    ),
    bug(
        "feed-forward network: init for neither half",
        VARIANCES,
        (FeedForward, "__init__", '"init": init, ', ""),
    ),
    bug("classifier's output: init not passed on", VARIANCES, (Classifier, "__init__", "init=config.init, ", "")),
    bug("map into d_model: init not passed on", VARIANCES, (InputEmbedding, "__init__", '"init": config.init, ', "")),
    bug("map out of it: init not passed on", VARIANCES, (ProjectedGenerator, "__init__", '"init": config.init, ', "")),
    bug(
        "per head: the variance of all heads together",
        PER_HEAD,
        (multi_head_attention, "projection_gain", 'if init != "per_head":', "if True:"),
    ),
    bug(
        "per head: values have the variance of keys",
        PER_HEAD,
        (MultiHeadAttention, "__init__", "for d in (d_k, d_v)", "for d in (d_k, d_k)"),
    ),
    bug(
        "narrow embeddings: drowned by the positions",
        word_vectors.test_variance_of_narrow_embeddings_and_logits,
        (language_model, "make_embedding", "math.sqrt(config.d_model)", "math.sqrt(config.table_width)"),
    ),
    bug(
        "narrow embeddings: positions before the map, not after it",
        partial(word_vectors.test_projections_into_and_out_of_d_model, 4),
        (
            InputEmbedding,
            "forward",
            "x = self.dropout.forward(self.positions.forward(x, start))",
            "x = x + self.positions.forward(x * 0, start) @ self.into_d_model.weight.data.T "
            "@ self.into_d_model.weight.data",
        ),
    ),
    bug(
        "map into d_model: its weight without a gradient",
        NARROW,
        (InputEmbedding, "backward", "self.into_d_model.backward(dx)", "dx @ self.into_d_model.weight.data.T"),
    ),
    bug(
        "map out of d_model: its weight without a gradient",
        NARROW,
        (
            ProjectedGenerator,
            "backward",
            "self.out_of_d_model.backward(super().backward(dlogits))",
            "super().backward(dlogits) @ self.out_of_d_model.weight.data.T",
        ),
    ),
    bug(
        "map out of d_model: the table is no longer shared",
        partial(HAS_MORE, "all"),
        (ProjectedGenerator, "__init__", "config.table_width, table=table,", "config.table_width, table=None,"),
    ),
    bug(
        "map out of d_model: where the generator has a table of its own, too",
        partial(HAS_MORE, "none"),
        (transformer, "make_generator", "table is None or ", ""),
    ),
    bug("cosine: no final rate", CLOSED_FORM, (CosineSchedule, "__call__", "self.final + ", "")),
    bug(
        "cosine: the warm-up counted into its period",
        CLOSED_FORM,
        (
            CosineSchedule,
            "__call__",
            "(step - self.warmup_steps) / (self.decay_steps - self.warmup_steps)",
            "step / self.decay_steps",
        ),
    ),
    bug("cosine: up again after its end", CLOSED_FORM, (CosineSchedule, "__call__", ", 1)\n", ", 2)\n")),
]
