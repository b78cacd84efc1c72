"""Byte-pair encoding: merges learned from counted words, and words split into tokens with them.

Sennrich et al. 2016; paper section 5.1. A word is a string of characters, a token is one character
or several. A pre-tokenizer decides what a character means (here a byte) and where a text is cut
into words: see pre_tokenizer.py.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

Merge = tuple[str, str]
Pair = tuple[int, int]
Token = TypeVar("Token", str, int)

# limits the memory; words that are met late are rare, so that little time is lost
MAX_CACHED_WORDS = 100_000


class BytePairEncoding:
    """Merges in the order in which they are made, and the tokens of a word.

    Arguments:
        merges: the pairs of tokens to join; an earlier one is joined before a later one

    >>> encoding = BytePairEncoding([("l", "o"), ("lo", "w"), ("e", "r")])
    >>> encoding.split("lower"), encoding.split("slow")
    (['low', 'er'], ['s', 'low'])
    """

    def __init__(self, merges: Iterable[Merge]):
        self.merges = list(merges)
        self.ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        self._cache: dict[str, list[str]] = {}

    def split(self, word: str) -> list[str]:
        """Return the tokens of a word; do not change the list, which is kept for the next time.

        As long as neighboring tokens are a pair of the merges, the pair that comes first in the
        merges is joined, wherever it occurs in the word.
        """
        if word in self._cache:
            return self._cache[word]

        tokens = list(word)
        while True:
            known = [pair for pair in pairwise(tokens) if pair in self.ranks]
            if not known:
                break
            first, second = min(known, key=self.ranks.__getitem__)
            tokens = _join(tokens, first, second, first + second)

        if len(self._cache) < MAX_CACHED_WORDS:
            self._cache[word] = tokens
        return tokens


def learn_merges(
    word_counts: Mapping[str, int], alphabet: Sequence[str], *, n_tokens: int, min_count: int = 2
) -> list[Merge]:
    """Return the merges that byte-pair encoding learns from counted words.

    Each step joins the pair of neighboring tokens that occurs most often, which makes one more
    token. Of several such pairs it takes the one with the oldest first token, then the one with the
    oldest second token, so the same words give the same merges.

    Arguments:
        word_counts: how often each word occurs; its characters are in the alphabet
        alphabet: the first tokens, single characters, the oldest first
        n_tokens: stop when there are as many tokens, with those of the alphabet
        min_count: stop when no pair occurs so often

    >>> learn_merges({"low": 5, "lower": 2, "newest": 6}, "delnorstw", n_tokens=13)
    [('w', 'e'), ('l', 'o'), ('e', 'we'), ('n', 'ewe')]
    """
    tokens = list(alphabet)
    pairs = _PairCounts(word_counts, tokens)
    merges: list[Merge] = []

    while len(tokens) < n_tokens:
        pair = pairs.most_frequent(min_count)
        if pair is None:
            break
        first = tokens[pair[0]]
        second = tokens[pair[1]]
        merges.append((first, second))
        # a new token: what lies between two cuts is joined in the same way in each word, so there
        # is not "a" + "bc" in one and "ab" + "c" in another
        pairs.join(pair, len(tokens))
        tokens.append(first + second)

    return merges


class _PairCounts:
    """How often each pair of neighboring tokens occurs in the words, as they are cut at present.

    Counting all words again after each merge would take hours. A merge changes the counts of the
    pairs in those words only that have the merged pair.
    """

    def __init__(self, word_counts: Mapping[str, int], alphabet: Sequence[str]):
        ids = {character: i for i, character in enumerate(alphabet)}
        self.words = []
        for word in word_counts:
            self.words.append([ids[character] for character in word])
        self.word_counts = list(word_counts.values())
        self.counts: Counter[Pair] = Counter()
        self.words_with: defaultdict[Pair, set[int]] = defaultdict(set)
        for i in range(len(self.words)):
            self._count(i, self.word_counts[i])

        # the largest count first, then the smallest ids
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.heap)

    def most_frequent(self, min_count: int) -> Pair | None:
        """Return the most frequent pair, or None if no pair occurs `min_count` times."""
        while self.heap:
            negative_count, pair = heapq.heappop(self.heap)
            count = -negative_count
            if count < min_count:
                return None

            # an entry of an earlier count is still in the heap, next to that of the present count
            if count == self.counts[pair]:
                return pair
        return None

    def join(self, pair: Pair, joined: int) -> None:
        """Replace a pair by one token in all words, and count their pairs again."""
        changed: set[Pair] = set()
        # no word has the pair afterwards
        for i in self.words_with.pop(pair):
            # neighbors of the pair change too, so the whole word is taken out and counted again
            changed |= self._count(i, -self.word_counts[i])
            self.words[i] = _join(self.words[i], *pair, joined)
            changed |= self._count(i, self.word_counts[i])

        for other in changed:
            # heapq cannot change an entry: the older one stays, and most_frequent skips it
            heapq.heappush(self.heap, (-self.counts[other], other))

    def _count(self, i: int, count: int) -> set[Pair]:
        """Add a count to each pair of word i, and return these pairs."""
        pairs = list(pairwise(self.words[i]))
        for pair in pairs:
            self.counts[pair] += count
            if count > 0:
                # a word that loses the pair stays in the set: joining there changes nothing
                self.words_with[pair].add(i)
        return set(pairs)


def _join(tokens: list[Token], first: Token, second: Token, joined: Token) -> list[Token]:
    """Return the tokens of a word with each occurrence of a pair joined, from the left."""
    result = []
    i = 0
    while i < len(tokens):
        if tokens[i] == first and i + 1 < len(tokens) and tokens[i + 1] == second:
            result.append(joined)
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result
