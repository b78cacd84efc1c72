"""From text to token ids and back."""

from .padding import pad
from .subword import SubwordVocabulary
from .subword_dropout import SubwordDropout
from .vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from .word_pieces import word_spans, words_of_tokens

AnyVocabulary = Vocabulary | SubwordVocabulary

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "AnyVocabulary",
    "SubwordDropout",
    "SubwordVocabulary",
    "Vocabulary",
    "pad",
    "word_spans",
    "words_of_tokens",
]
