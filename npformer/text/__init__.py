"""From text to token ids and back: words, characters, subwords, and the one set of special ids.

Nothing here may know of models.
"""

from .labels import Labels
from .lines import check_several
from .running import n_characters, running_ids
from .sentence_pieces import SentencePieceVocabulary
from .subword import SubwordVocabulary
from .subword_dropout import SubwordDropout
from .vocabulary import BOS, EOS, MARKS, PAD, UNK, Vocabulary, fits, marked, pad, with_marks
from .word_dropout import WordDropout
from .word_pieces import word_spans, words_of_tokens

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
