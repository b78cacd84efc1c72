"""Data sets by name: what our own code makes, what is downloaded, and one's own files. `find(name)`, then `load`.

Nothing here may know tokens or models.
"""

from .data_set import DataSet
from .labelled_files import from_tsv
from .labelled_text import LabelledText
from .parallel_text import from_files
from .registry import find, table
from .sentence_pair import SentencePair
from .text_files import from_text

__all__ = ["DataSet", "LabelledText", "SentencePair", "find", "from_files", "from_text", "from_tsv", "table"]
