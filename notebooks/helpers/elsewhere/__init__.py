"""Small models in the files of other programs, for readers who have none.

They are trained in seconds, and written as those programs write them.
"""

from .broken import BrokenImport, share_and_loss, table_of_settings
from .imports import imported
from .language import split
from .models import OTHERS, trained
from .shares import Shares, measure_shares, neighbors
from .writing import write_jadore, write_marian, write_nn_transformer

__all__ = [
    "OTHERS",
    "BrokenImport",
    "Shares",
    "imported",
    "measure_shares",
    "neighbors",
    "share_and_loss",
    "split",
    "table_of_settings",
    "trained",
    "write_jadore",
    "write_marian",
    "write_nn_transformer",
]
