"""From text to token ids and back: words, characters, subwords, and the one set of special ids.

Nothing here may know of models.
"""

from .bpe import SubwordVocabulary
from .bpe_dropout import SubwordDropout
from .documents import n_characters, running_ids
from .labels import Labels
from .sentencepiece import SentencePieceVocabulary
from .validation import check_several
from .vocabulary import BOS, EOS, MARKS, PAD, UNK, Vocabulary, fits, marked, pad, with_marks
from .word_alignment import word_spans, words_of_tokens
from .word_dropout import WordDropout

AnyVocabulary = Vocabulary | SubwordVocabulary | SentencePieceVocabulary

__all__ = [
    "BOS",
    "EOS",
    "MARKS",
    "PAD",
    "UNK",
    "AnyVocabulary",
    "Labels",
    "SentencePieceVocabulary",
    "SubwordDropout",
    "SubwordVocabulary",
    "Vocabulary",
    "WordDropout",
]
__all__ += ["check_several", "fits", "marked", "n_characters", "pad", "running_ids", "with_marks", "word_spans"]
__all__ += ["words_of_tokens"]
