"""From text to token ids and back: words, characters, subwords, and the one set of special ids.

Nothing here may know of models.
"""

from .bpe_vocabulary import BPEVocabulary
from .byte_level_vocabulary import ByteLevelVocabulary
from .byte_pair_encoding import BytePairEncoding, learn_merges
from .id_vocabulary import IdVocabulary
from .labels import Labels
from .sentencepiece import SentencePieceVocabulary
from .vocabulary import (
    BOS,
    EOS,
    PAD,
    SPECIAL_TOKEN_AFFIXES,
    UNK,
    BaseVocabulary,
    Vocabulary,
    add_special_tokens,
    check_list,
    check_special_tokens,
    describe_special_tokens,
    fits,
    pad,
)
from .word_dropout import WordDropout
from .words_and_tokens import word_spans, words_of_tokens

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SPECIAL_TOKEN_AFFIXES",
    "UNK",
    "BPEVocabulary",
    "BaseVocabulary",
    "ByteLevelVocabulary",
    "BytePairEncoding",
    "IdVocabulary",
    "Labels",
    "SentencePieceVocabulary",
    "Vocabulary",
    "WordDropout",
    "add_special_tokens",
    "check_list",
    "check_special_tokens",
    "describe_special_tokens",
    "fits",
    "learn_merges",
    "pad",
    "word_spans",
    "words_of_tokens",
]
