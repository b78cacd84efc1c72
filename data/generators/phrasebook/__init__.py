"""The grammar of the phrasebook: English sentences, their translations and alignments.

The pairs are written by a small grammar of both languages at once (see grammar.py, which
explains it). They show what makes translation more than a dictionary: gender and case, words
in another order, verbs in two pieces.
"""

from .corpus import pairs

__all__ = ["pairs"]
