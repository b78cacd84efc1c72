"""The command line: npformer train, translate, evaluate, attend, import and so on; `npformer --help` has them all.

It prints, and decides nothing: whatever it does can be done from Python in as few words.
"""

from .main import main

__all__ = ["main"]
