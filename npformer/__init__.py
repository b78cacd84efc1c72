"""npformer: the Transformer of "Attention Is All You Need" in NumPy, with every backward written by hand."""

from importlib import import_module

from .backend import to_host, use_backend, xp
from .models import Transformer, TransformerConfig
from .module import Module, Parameter
from .utils import InputError, MissingExtraError

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "MissingExtraError",
    "Module",
    "Parameter",
    "Transformer",
    "TransformerConfig",
    "gradcheck",
    "load",
    "save",
    "step_through",
    "to_host",
    "trace",
    "use_backend",
    "xp",
]

_LAZY = {  # of packages that need more than NumPy, or time to import
    "gradcheck": "testing",
    "load": "runs",
    "save": "runs",
    "step_through": "visualization",
    "trace": "visualization",
}
_PACKAGES = (
    "datasets decoding evaluation interop layers models paper runs tasks testing text training visualization"
).split()


def __getattr__(name: str):
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'npformer' has no attribute {name!r}")
