"""Small models in the files of other programs, for readers who have none.

They are trained in seconds, and written as those programs write them.
"""

from .broken import BrokenImport, share_and_loss, table_of_settings
from .imports import first_stacked, imported, keys_to_write, trained_and_written
from .language import split
from .models import OTHERS, trained
from .writing import write_jadore, write_marian, write_nn_transformer

__all__ = [
    "OTHERS",
    "BrokenImport",
    "first_stacked",
    "imported",
    "keys_to_write",
    "share_and_loss",
    "split",
    "table_of_settings",
    "trained",
    "trained_and_written",
    "write_jadore",
    "write_marian",
    "write_nn_transformer",
]
