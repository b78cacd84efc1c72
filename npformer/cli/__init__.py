"""The command line: npformer train | translate | generate | evaluate | attend | gradcheck | table1 | ablate | data.

It prints, and decides nothing: whatever it does can be done from Python in as few words.
"""

from .command import main

__all__ = ["main"]
