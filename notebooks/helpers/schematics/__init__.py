"""Schematics: the picture of the idea that opens a notebook, drawn as SVG."""

from .adam import adam
from .attention import attention
from .beam import beam
from .bootstrap import bootstrap
from .build_it import build_it
from .byte_pairs import byte_pairs
from .cases import cases
from .chain_of_gradients import chain_of_gradients
from .couplet import couplet
from .embedding_and_positions import embedding_and_positions
from .encoder_layer import encoder_layer
from .first_difference import first_difference
from .four_encoders import four_encoders
from .gate import gate
from .generating_text import generating_text
from .gradient_check import gradient_check
from .hidden_links import hidden_links
from .induction import induction
from .kv_cache import kv_cache
from .language_model import language_model
from .layer_norm_backward import layer_norm_backward
from .layer_norm_graph import layer_norm_graph
from .learning_curve import learning_curve
from .looking import looking
from .loss import loss
from .lstm import lstm
from .many_heads import many_heads
from .masks import masks
from .mean_of_words import mean_of_words
from .n_gram_matches import n_gram_matches
from .predict_then_see import predict_then_see
from .rotary import rotary
from .rows_and_jacobian import rows_and_jacobian
from .shared_heads import shared_heads
from .short_paths import short_paths
from .softmax_and_scale import softmax_and_scale
from .softmax_backward import softmax_backward
from .three_checks import three_checks
from .three_seeds import three_seeds
from .training_step import training_step
from .translator_at_work import translator_at_work
from .two_runs import two_runs
from .two_uses_of_a_row import two_uses_of_a_row
from .vocabulary_size import vocabulary_size

__all__ = [
    "adam",
    "attention",
    "beam",
    "bootstrap",
    "build_it",
    "byte_pairs",
    "cases",
    "chain_of_gradients",
    "couplet",
    "embedding_and_positions",
    "encoder_layer",
    "first_difference",
    "four_encoders",
    "gate",
    "generating_text",
    "gradient_check",
    "hidden_links",
    "induction",
    "kv_cache",
    "language_model",
    "layer_norm_backward",
    "layer_norm_graph",
    "learning_curve",
    "looking",
    "loss",
    "lstm",
    "many_heads",
    "masks",
    "mean_of_words",
    "n_gram_matches",
    "predict_then_see",
    "rotary",
    "rows_and_jacobian",
    "shared_heads",
    "short_paths",
    "softmax_and_scale",
    "softmax_backward",
    "three_checks",
    "three_seeds",
    "training_step",
    "translator_at_work",
    "two_runs",
    "two_uses_of_a_row",
    "vocabulary_size",
]
