"""Data sets: the phrasebook, dates and sequences that our own code makes, Multi30k, and pairs of files."""

from . import corpus, dates, multi30k, phrasebook, sequences
from .corpus import Corpus
from .pair import SentencePair

__all__ = ["Corpus", "SentencePair", "corpus", "dates", "multi30k", "phrasebook", "sequences"]
