"""From text to token ids and back: words, characters, subwords, and the one set of special ids.

Nothing here may know of models.
"""

from .bpe_vocabulary import BPEVocabulary
from .byte_pair_encoding import BytePairEncoding, learn_merges
from .labels import Labels
from .sentencepiece import SentencePieceVocabulary
from .vocabulary import (
    BOS,
    EOS,
    MARKS,
    PAD,
    UNK,
    BaseVocabulary,
    Vocabulary,
    check_list,
    fits,
    marked,
    pad,
    with_marks,
)
from .word_dropout import WordDropout
from .words_and_tokens import word_spans, words_of_tokens

__all__ = [
    "BOS",
    "EOS",
    "MARKS",
    "PAD",
    "UNK",
    "BPEVocabulary",
    "BaseVocabulary",
    "BytePairEncoding",
    "Labels",
    "SentencePieceVocabulary",
    "Vocabulary",
    "WordDropout",
    "check_list",
    "fits",
    "learn_merges",
    "marked",
    "pad",
    "with_marks",
    "word_spans",
    "words_of_tokens",
]
