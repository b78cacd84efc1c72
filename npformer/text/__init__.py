"""From text to token ids and back."""

from .padding import pad
from .subword import SubwordVocabulary
from .vocabulary import BOS, EOS, PAD, UNK, Vocabulary

AnyVocabulary = Vocabulary | SubwordVocabulary

__all__ = ["BOS", "EOS", "PAD", "UNK", "AnyVocabulary", "SubwordVocabulary", "Vocabulary", "pad"]
