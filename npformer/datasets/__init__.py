"""Data sets by name: made by our own code, downloaded, or one's own files. `find(name)`, then `load`."""

from .data_set import DataSet, LabeledText, SentencePair
from .own_files import from_files, from_text, from_tsv
from .registry import find, table

__all__ = [
    "DataSet",
    "LabeledText",
    "SentencePair",
    "find",
    "from_files",
    "from_text",
    "from_tsv",
    "table",
]
