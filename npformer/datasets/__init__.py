"""Data sets by name: npformer's own, published ones, and those of one's own files.

`get(name)` returns a data set, and its `load` the examples.
"""

from .data_set import DataSet, LabeledText, SentencePair
from .own_files import from_files, from_text, from_tsv
from .registry import get, registry

__all__ = [
    "DataSet",
    "LabeledText",
    "SentencePair",
    "from_files",
    "from_text",
    "from_tsv",
    "get",
    "registry",
]
