"""A whole training as files: `begin`, `resume` and `load` a run, its settings, recipes and folder.

Nothing here may print, or know of a terminal, its bars and its signals.
"""

from importlib import import_module

__all__ = ["begin", "load", "resume"]


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'npformer.runs' has no attribute {name!r}")
    return getattr(import_module(".start", __name__), name)
