"""npformer: the Transformer of "Attention Is All You Need" in NumPy, every gradient by hand."""

from importlib import import_module

from .backend import to_host, use_backend, xp
from .layers import LabelSmoothingLoss
from .models import Transformer, TransformerConfig
from .module import Module, Parameter
from .utils import InputError, MissingExtraError

__version__ = "0.1.0"

# what is imported where it is used first, because it needs time or more than NumPy to import
_LAZY = {
    "Adam": "training",
    "TextClassifier": "tasks",
    "TextGenerator": "tasks",
    "Trainer": "training",
    "Translator": "tasks",
    "Vocabulary": "text",
    "WarmupSchedule": "training",
    "batches": "tasks.batches",
    "compare_steps": "visualization",
    "gradcheck": "testing",
    "load": "runs",
    "save": "runs",
    "step_through": "visualization",
    "trace": "visualization",
    "what_if": "visualization",
}
_PACKAGES = (
    "datasets",
    "decoding",
    "evaluation",
    "interop",
    "layers",
    "models",
    "paper",
    "runs",
    "slow_formulas",
    "tasks",
    "testing",
    "text",
    "training",
    "visualization",
)

__all__ = [
    "Adam",
    "InputError",
    "LabelSmoothingLoss",
    "MissingExtraError",
    "Module",
    "Parameter",
    "TextClassifier",
    "TextGenerator",
    "Trainer",
    "Transformer",
    "TransformerConfig",
    "Translator",
    "Vocabulary",
    "WarmupSchedule",
    "batches",
    "compare_steps",
    "gradcheck",
    "load",
    "save",
    "step_through",
    "to_host",
    "trace",
    "use_backend",
    "what_if",
    "xp",
]


def __getattr__(name: str):
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'npformer' has no attribute {name!r}")


def __dir__() -> list[str]:
    # for completion by Tab: what is imported later is not in globals() yet
    return sorted({*globals(), *__all__, *_PACKAGES})
