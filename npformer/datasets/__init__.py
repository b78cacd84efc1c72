"""Data sets: the phrasebook, dates and sequences that our own code makes, and pairs of files."""

from . import corpus, dates, phrasebook, sequences
from .corpus import Corpus
from .pair import SentencePair

__all__ = ["Corpus", "SentencePair", "corpus", "dates", "phrasebook", "sequences"]
