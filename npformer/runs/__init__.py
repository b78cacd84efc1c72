"""A training as files: settings, recipes, run folder and `Run`.

Nothing here may print, or know of a terminal or of the options of the command line.
"""

from .api import begin, load, resume, save

__all__ = ["begin", "load", "resume", "save"]
