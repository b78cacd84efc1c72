"""Bugs of how weights start, and of the cosine."""

from functools import partial

import test_cosine as cosine
import test_init as init

from npformer.layers import FeedForward, Linear, MultiHeadAttention, linear, multi_head_attention
from npformer.models import Classifier, encoder, sublayers
from npformer.training import CosineSchedule

from .plant import bug

VARIANCES = partial(init.test_every_matrix_has_the_variance_of_its_init, "glorot_normal")
PER_HEAD = partial(init.test_every_matrix_has_the_variance_of_its_init, "per_head")
CLOSED_FORM = cosine.test_cosine_schedule_equals_closed_form

STARTS = [
    bug(
        "init: half as wide as it says",
        VARIANCES,
        (linear, "initialize", "gain=gain)", "gain=gain / 2)"),
    ),
    bug(
        "Linear: init not passed on",
        VARIANCES,
        (Linear, "__init__", "initialize(init, ", 'initialize("glorot", '),
    ),
    bug(
        "attention: init not passed on",
        VARIANCES,
        (sublayers, "_make_multi_head", ', "init": config.init', ""),
    ),
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
    bug(
        "classifier's output: init not passed on",
        VARIANCES,
        (Classifier, "__init__", "init=config.init, ", ""),
    ),
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
    bug(
        "cosine: up again after its end",
        CLOSED_FORM,
        (CosineSchedule, "__call__", ", 1)\n", ", 2)\n"),
    ),
]
