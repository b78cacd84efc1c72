"""Data sets by name: what our own code makes, what is downloaded, and one's own files. `find(name)`, then `load`.

Nothing here may know tokens or models.
"""

from .catalogue import find, table
from .data_set import DataSet
from .files import from_files
from .labelled import LabelledText
from .labelled_files import from_tsv
from .pair import SentencePair
from .text_files import from_text

__all__ = ["DataSet", "LabelledText", "SentencePair", "find", "from_files", "from_text", "from_tsv", "table"]
