"""Byte-pair encoding: the merges of a plain loop, and words cut by the earliest merge first."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from npformer.text.byte_pair_encoding import MAX_CACHED_WORDS, BytePairEncoding, learn_merges

# Sennrich et al. 2016, section 3.2, algorithm 1
DICTIONARY = {"low.": 5, "lower.": 2, "newest.": 6, "widest.": 3}


def join(tokens, pair):
    tokens = list(tokens)
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == pair:
            tokens[i : i + 2] = ["".join(pair)]
        i += 1
    return tokens


def merges_by_counting_everything_again(word_counts, alphabet, n_tokens, min_count=2):
    ids = {token: i for i, token in enumerate(alphabet)}
    cuts = {word: list(word) for word in word_counts}
    merges = []
    while len(ids) < n_tokens:
        counts = Counter()
        for word, tokens in cuts.items():
            for pair in pairwise(tokens):
                counts[pair] += word_counts[word]
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        if counts[best] < min_count:
            break
        merges.append(best)
        assert "".join(best) not in ids
        ids["".join(best)] = len(ids)
        cuts = {word: join(tokens, best) for word, tokens in cuts.items()}
    return merges


def test_example_of_the_paper():
    alphabet = sorted(set("".join(DICTIONARY)))
    merges = learn_merges(DICTIONARY, alphabet, n_tokens=len(alphabet) + 4)
    # the paper has es, est, est., lo: (es, t) and (t, .) are equally frequent, and t is the older
    assert merges == [("e", "s"), ("t", "."), ("es", "t."), ("l", "o")]


def test_random_words_give_the_merges_of_a_plain_loop():
    rng = random.Random(0)
    for _ in range(200):
        words = ["".join(rng.choices("abc", k=rng.randint(1, 8))) for _ in range(12)]
        counts = {word: rng.randint(1, 9) for word in words}
        arguments = counts, "bca", rng.randint(3, 40), rng.randint(1, 4)
        expected = merges_by_counting_everything_again(*arguments)
        counts, alphabet, n_tokens, min_count = arguments
        assert learn_merges(counts, alphabet, n_tokens=n_tokens, min_count=min_count) == expected


def test_order_of_words_does_not_matter():
    alphabet = sorted(set("".join(DICTIONARY)))
    backwards = dict(reversed(DICTIONARY.items()))
    for n_tokens in range(10, 30):
        assert learn_merges(DICTIONARY, alphabet, n_tokens=n_tokens) == learn_merges(
            backwards, alphabet, n_tokens=n_tokens
        )


def test_learning_stops_at_rare_pairs_and_at_the_number_of_tokens():
    assert learn_merges({"ab": 1, "cd": 1}, "abcd", n_tokens=9) == []
    assert learn_merges({"ab": 2}, "ab", n_tokens=2) == []
    assert learn_merges({"ab": 2}, "ab", n_tokens=9) == [("a", "b")]
    assert learn_merges({}, "ab", n_tokens=9) == []


@pytest.mark.parametrize(
    ("merges", "word", "tokens"),
    [
        ([], "ab", ["a", "b"]),
        ([("a", "b")], "", []),
        ([("a", "a")], "aaaaa", ["aa", "aa", "a"]),
        ([("a", "b"), ("b", "c")], "abc", ["ab", "c"]),
        ([("b", "c"), ("a", "b")], "abc", ["a", "bc"]),
        ([("a", "b"), ("ab", "ab")], "ababab", ["abab", "ab"]),
        ([("ab", "c"), ("a", "b")], "abc", ["abc"]),
        ([("a", "b")], "xyz", ["x", "y", "z"]),
    ],
)
def test_earliest_merge_is_made_first(merges, word, tokens):
    encoding = BytePairEncoding(merges)
    assert encoding.split(word) == tokens
    assert encoding.split(word) == tokens  # from the cache


def test_merges_cut_their_words_as_learning_did():
    merges = learn_merges(DICTIONARY, sorted(set("".join(DICTIONARY))), n_tokens=18)
    encoding = BytePairEncoding(merges)
    for word in DICTIONARY:
        tokens = list(word)
        for merge in merges:
            tokens = join(tokens, merge)
        assert encoding.split(word) == tokens


def test_cache_is_bounded(monkeypatch):
    monkeypatch.setattr("npformer.text.byte_pair_encoding.MAX_CACHED_WORDS", 3)
    assert MAX_CACHED_WORDS > 3
    encoding = BytePairEncoding([("a", "b")])
    for i in range(9):
        assert encoding.split(f"ab{i}") == ["ab", str(i)]
    assert len(encoding._cache) == 3
