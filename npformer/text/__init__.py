"""From text to token ids and back."""

from .padding import pad
from .subword import SubwordVocabulary
from .subword_dropout import SubwordDropout
from .vocabulary import BOS, EOS, PAD, UNK, Vocabulary

AnyVocabulary = Vocabulary | SubwordVocabulary

__all__ = ["BOS", "EOS", "PAD", "UNK", "AnyVocabulary", "SubwordDropout", "SubwordVocabulary", "Vocabulary", "pad"]
