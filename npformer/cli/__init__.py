"""The command line: `npformer train`, `translate`, `evaluate` and so on; `npformer --help`.

The commands parse arguments and print; Python provides the same functionality.
"""

from .main import main

__all__ = ["main"]
