"""npformer: the Transformer of "Attention Is All You Need" in NumPy, every backward written by hand.

Names are loaded when they are first asked for, so that `import npformer` costs next to nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

ROOMS = ("base", "classroom", "datasets", "decoding", "evaluation", "layers", "models", "proofs", "runs", "seeing")
ROOMS += ("tasks", "text", "training", "weights")
NAMES = {
    "base": ("InputError", "MissingExtraError", "to_host", "use_backend", "xp"),
    "models": ("Transformer", "TransformerConfig"),
    "module": ("Module", "Parameter"),
    "proofs": ("gradcheck",),
    "seeing": ("trace",),
}
HOMES = {name: home for home, names in NAMES.items() for name in names}

__all__ = [*sorted(HOMES), *ROOMS]


def __getattr__(name: str):
    if name in ROOMS:
        return import_module(f".{name}", __name__)
    if name not in HOMES:
        raise AttributeError(f"module 'npformer' has no attribute {name!r}")
    value = getattr(import_module(f".{HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
