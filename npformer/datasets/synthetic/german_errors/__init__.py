"""Spotting mistakes in German: sentences of the phrasebook, half of them right, half with one mistake that is planted.

The classes are "right" and the kinds of mistake, here each with a wrong sentence and what it should be:

    gender       Das Mann schläft.                  Der Mann schläft.
    adjective    Er hat einen alte Hund.            Er hat einen alten Hund.
    verb_second  Heute der Mann will schlafen.      Heute will der Mann schlafen.
    verb_last    Sie schläft, weil sie ist müde.    Sie schläft, weil sie müde ist.
    prefix       Er aufsteht um sieben.             Er steht um sieben auf.
    case         Sie spielt mit den Hund.           Sie spielt mit dem Hund.

The grammar of the phrasebook makes the mistakes itself (sentence_with_mistake.py): it takes a noun to be of another
gender, a preposition to have another case, or puts the parts of a clause in another order. It also knows what is right
after all, in another reading, and plants nothing there.

A model has to look at several words together. A moved verb leaves every word of its sentence as it was, so a bag of
words can tell neither verb_second nor most of verb_last from "right". An article is wrong next to its noun alone, an
adjective's ending next to article, noun and case, which may stand words away; a joined "aufsteht" is wrong in a
main clause and right after "dass".
"""

from .corpus import MOST, split
from .sentence_with_mistake import KINDS, RIGHT

__all__ = ["KINDS", "MOST", "RIGHT", "split"]
