"""A whole training as files: `begin`, `resume` and `load` a run, its settings, recipes and folder.

Nothing here may print, or know of a terminal, its bars and its signals.
"""

from .api import begin, load, resume

__all__ = ["begin", "load", "resume"]
