"""Traces of the layers, figure 1, attention weights, plots, a viewer, and a step debugger.

Training and decoding need nothing of this package. matplotlib is imported when something is drawn.
"""

from ..evaluation import AttentionWeights, attention_weights
from .attention import SentenceAttention, sentence_attention
from .comparison import Comparison, Difference, compare_steps, what_if
from .figure_1 import Figure, figure_1
from .stepper import StepThrough, step_through
from .tracing import Record, Trace, trace
from .viewer import AttentionViewer

__all__ = [
    "AttentionViewer",
    "AttentionWeights",
    "Comparison",
    "Difference",
    "Figure",
    "Record",
    "SentenceAttention",
    "StepThrough",
    "Trace",
    "attention_weights",
    "compare_steps",
    "figure_1",
    "sentence_attention",
    "step_through",
    "trace",
    "what_if",
]
