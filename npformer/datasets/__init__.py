"""Data sets by name: what our own code makes, what is downloaded, and pairs of files. `find(name)`, then `load`.

Nothing here may know tokens or models.
"""

from .catalogue import find, table
from .data_set import DataSet
from .files import from_files
from .labelled import LabelledText
from .pair import SentencePair

__all__ = ["DataSet", "LabelledText", "SentencePair", "find", "from_files", "table"]
