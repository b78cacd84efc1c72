"""From text to token ids and back."""

from .vocabulary import BOS, EOS, PAD, UNK, Vocabulary

__all__ = ["BOS", "EOS", "PAD", "UNK", "Vocabulary"]
