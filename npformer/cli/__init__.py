"""The command line: npformer train | translate | evaluate | attend | gradcheck | data."""

from .main import main

__all__ = ["main"]
