"""Running text: documents as one row of ids."""

from collections.abc import Iterable

from .subword import SubwordVocabulary
from .vocabulary import EOS, Vocabulary


def running_ids(documents: Iterable[str], vocabulary: Vocabulary | SubwordVocabulary) -> list[int]:
    """Return the ids of documents one after another, an <eos> between two.

    >>> vocabulary = Vocabulary.build(["ab"], unit="characters", running=True)
    >>> running_ids(["ab", "b"], vocabulary)
    [4, 5, 3, 5]
    """
    ids = []
    for document in documents:
        ids += [EOS, *vocabulary.encode(document)] if ids else vocabulary.encode(document)
    return ids
