"""Running text: documents as one row of ids."""

from collections.abc import Iterable, Sequence

from .bpe import SubwordVocabulary
from .validation import check_several
from .vocabulary import EOS, Vocabulary


def running_ids(documents: Iterable[str], vocabulary: Vocabulary | SubwordVocabulary) -> list[int]:
    """Return the ids of documents one after another, an <eos> between two.

    Raises `InputError` for one text in the place of documents.

    >>> vocabulary = Vocabulary.build(["ab"], unit="characters", running=True)
    >>> running_ids(["ab", "b"], vocabulary)
    [4, 5, 3, 5]
    """
    check_several(documents, "documents")
    ids = []
    for document in documents:
        ids += [EOS, *vocabulary.encode(document)] if ids else vocabulary.encode(document)
    return ids


def n_characters(documents: Sequence[str], vocabulary: Vocabulary | SubwordVocabulary) -> int:
    """Return how many characters documents have behind the first token of all, in the form in which they are read.

    >>> n_characters(["abc", "b"], Vocabulary.build(["b"], unit="characters", running=True))
    3
    """
    if not isinstance(vocabulary, Vocabulary):
        return sum(map(len, documents)) - len(vocabulary.decode(running_ids(documents, vocabulary)[:1]))
    first = next(tokens[0] for tokens in map(vocabulary.split, documents) if tokens)
    return sum(len(vocabulary.folded(document)) for document in documents) - len(first)
