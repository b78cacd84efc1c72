"""Weights of other programs, read and written by name.

Nothing of those programs is run. A library that reads their files is imported where it is used.
"""

from .export_nn_transformer import save_nn_transformer
from .formats import KINDS, load
from .import_nn_transformer import from_state_dict
from .nn_transformer_names import from_nn_transformer, to_nn_transformer
from .readers import read_arrays

__all__ = [
    "KINDS",
    "from_nn_transformer",
    "from_state_dict",
    "load",
    "read_arrays",
    "save_nn_transformer",
    "to_nn_transformer",
]
