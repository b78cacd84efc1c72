"""Looking inside: what passes through the layers, where attention looks, pictures, and a viewer for browsers.

Nothing here may be needed to train or to translate; matplotlib is read only when something is drawn.
"""

from .alignment import attention_error_rates, attention_links
from .attention import AttentionWeights, SentenceAttention, attention_weights, sentence_attention
from .tracing import Record, Trace, trace
from .viewer import AttentionViewer

__all__ = ["AttentionViewer", "AttentionWeights", "Record", "SentenceAttention", "Trace"]
__all__ += ["attention_error_rates", "attention_links", "attention_weights", "sentence_attention", "trace"]
