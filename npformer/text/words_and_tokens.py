"""Which words the tokens of a text are pieces of."""

import re

from .vocabulary import BaseVocabulary


def word_spans(text: str) -> list[tuple[int, int]]:
    r"""Return the places of words and punctuation marks in a text.

    They are what `re.finditer(r"\w+|[^\w\s]", text)` finds.
    """
    return [word.span() for word in re.finditer(r"\w+|[^\w\s]", text)]


def words_of_tokens(vocabulary: BaseVocabulary, text: str) -> list[tuple[int, ...]]:
    """Return for each token of a text the words, counted from 0, that it holds a piece of.

    With the tokenizer "word" a token is one word. Characters and subwords are pieces of a word, of
    none (a space) or of several (a subword such as "t-shirt"). Raises `InputError` when the
    vocabulary cannot tell where its tokens are.

    >>> from npformer.text import Vocabulary
    >>> words_of_tokens(Vocabulary.build(["Go on!"], tokenizer="character"), "Go on!")
    [(0,), (0,), (), (1,), (1,), (2,)]
    """
    word_at = {}
    for word, (start, end) in enumerate(word_spans(text)):
        for place in range(start, end):
            word_at[place] = word

    words_of_token = []
    for start, end in vocabulary.spans(text):
        # spaces between words are in no word
        words = {word_at[place] for place in range(start, end) if place in word_at}
        words_of_token.append(tuple(sorted(words)))
    return words_of_token
