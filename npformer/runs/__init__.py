"""A training as files: settings, recipes, run folder and `Run`.

Nothing here may print, or know of a terminal.
"""

from .api import begin, load, resume, save

__all__ = ["begin", "load", "resume", "save"]
