"""Traces of the layers, attention weights of sentences, plots, a viewer of attention, and a step debugger.

Training and decoding need nothing of this package. matplotlib is imported when something is drawn.
"""

from .alignment import attention_error_rates, attention_links
from .attention import AttentionWeights, SentenceAttention, attention_weights, sentence_attention
from .stepper import StepThrough, step_through
from .tracing import Record, Trace, trace
from .viewer import AttentionViewer

__all__ = ["AttentionViewer", "AttentionWeights", "Record", "SentenceAttention", "StepThrough", "Trace"]
__all__ += ["attention_error_rates", "attention_links", "attention_weights", "sentence_attention", "step_through"]
__all__ += ["trace"]
