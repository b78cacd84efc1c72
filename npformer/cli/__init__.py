"""The command line: npformer train | translate | evaluate | gradcheck | data."""

from .main import main

__all__ = ["main"]
