"""Planting mistakes in German sentences of the phrasebook.

The grammar of the phrasebook makes the mistakes itself (sentence_with_mistake.py): it takes a
noun to be of another gender, a preposition to have another case, or puts the parts of a
clause in another order. It also knows what is right after all, in another reading, and plants
nothing there.
"""

from .corpus import split
from .sentence_with_mistake import KINDS, RIGHT

__all__ = [
    "KINDS",
    "RIGHT",
    "split",
]
