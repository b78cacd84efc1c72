"""The command line: `npformer train`, `translate`, `evaluate` and so on; `npformer --help`.

The commands parse arguments, call the Python API, and print.
"""

from .main import main

__all__ = ["main"]
