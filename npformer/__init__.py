"""npformer: the Transformer of "Attention Is All You Need" in NumPy, every backward written by hand."""

from . import layers, model, training
from .backend import to_host, use_backend, xp
from .errors import InputError, MissingExtraError
from .gradcheck import gradcheck
from .model import Transformer, TransformerConfig
from .module import Module, Parameter
from .tracing import trace

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "MissingExtraError",
    "Module",
    "Parameter",
    "Transformer",
    "TransformerConfig",
    "gradcheck",
    "layers",
    "model",
    "to_host",
    "trace",
    "training",
    "use_backend",
    "xp",
]
