# %% [markdown]
# # Byte-pair merges
#
# The model reads ids, so a text must be cut into tokens first. Whole words are a poor cut:
# "smaller" has no id if only "small" was seen. Letters are a poor cut too: sentences become long.
# Section 5.1 of the paper takes neither. It cuts English and German into about 37,000 tokens that
# were *learned* by byte-pair encoding (Sennrich et al. 2016): start from single bytes, and join the
# most frequent pair of neighbors into one new token, again and again. Frequent words end up as one
# token, rare words as several, and nothing is unknown.
#
# **Words as ids.** A word is a list of ids. At the start these are its bytes, 0 to 255, and every
# merge makes one new id: the first merge makes 256, the second 257, merge number $k$, counted from
# 0, makes $256 + k$. No pair reaches from one word into the next, so it suffices to know each
# different word once, and how often it occurs.
#
# **Counting.** Let $w$ be a word of length $|w|$, and $c_w$ how often it occurs. The pair $(a, b)$
# occurs
#
# $$n(a, b) = \sum_w c_w \sum_{i=1}^{|w| - 1} [w_i = a \text{ and } w_{i+1} = b]$$
#
# times, where the bracket is 1 if it holds and 0 otherwise. Every two neighbors count, also where
# they overlap: the word `aaa` has two pairs `aa`. For one pair this is:

# %%
from collections import Counter
from itertools import pairwise


def occurrences_slowly(words, counts, pair):
    """How often one pair occurs."""
    n = 0
    for w in range(len(words)):
        for i in range(len(words[w]) - 1):
            if words[w][i] == pair[0] and words[w][i + 1] == pair[1]:
                n += counts[w]
    return n


# %% [markdown]
# **An example.** Take "low" 5 times, "lower" twice, "newest" 6 times and "widest" 3 times. In
# bytes, "low" is `list(b"low")`, that is `[108, 111, 119]`. The pairs "es" and "st" both occur 9
# times, more often than all others. The smaller pair comes first: "es" is `(101, 115)`, "st" is
# `(115, 116)`, and Python compares tuples from the left. So "es" becomes id 256, and "newest" is
# now `[110, 101, 119, 256, 116]`. Count again: the pair `(256, 116)` occurs 9 times, and becomes
# 257.
#
# **Merging.** In one list, from left to right, every occurrence of the pair is replaced by the new
# id. An id that has been used is gone: `aaa` becomes the new id and an `a`.
#
# **A new word** is cut with the same merges, in the order in which they were learned. "lowest" was
# not among the four words, but it has an "est" all the same.
#
# ## Your turn
#
# Write four short functions. `learn_merges` and `encode` can call the two before them. The rules of
# learning:
#
# - Of pairs that occur equally often, the smallest is merged.
# - A pair that occurs only once is not worth a token. Learning ends when no pair occurs twice, or
#   after `n_merges`. (A word that occurs twice makes each of its pairs occur twice.)
#
# `Counter` is a dict whose values begin with 0, and `pairwise([1, 2, 3])` yields `(1, 2)` and `(2,
# 3)`. With `words = [list(b"low"), list(b"lower"), list(b"newest"), list(b"widest")]` and `counts =
# [5, 2, 6, 3]` you can try the example.


# %%
def count_pairs(words, counts):
    """Return how often each pair of neighbors occurs: a dict, (a, b) -> n, of the pairs that occur.

    words: lists of ids. counts: how often each word occurs. A Counter is a dict too; other pairs
    may be in it with 0.
    """
    # BEGIN SOLUTION
    pair_counts = Counter()
    for ids, count in zip(words, counts, strict=True):
        for pair in pairwise(ids):
            pair_counts[pair] += count
    return pair_counts
    # END SOLUTION


def merge(ids, pair, new_id):
    """Return a list of ids in which every occurrence of a pair is replaced by one new id.

    ids: a list of ids, which is not changed. pair: a tuple (a, b).
    """
    # BEGIN SOLUTION
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
    # END SOLUTION


def learn_merges(words, counts, n_merges):
    """Return the pairs that are merged, in their order: a list of at most n_merges tuples (a, b).

    n_merges: at least 1.
    """
    # BEGIN SOLUTION
    merges = []
    for k in range(n_merges):
        pairs = count_pairs(words, counts)
        most = max(pairs.values(), default=0)
        if most < 2:
            break
        best = min(pair for pair in pairs if pairs[pair] == most)
        words = [merge(ids, best, 256 + k) for ids in words]
        merges.append(best)
    return merges
    # END SOLUTION


def encode(ids, merges):
    """Return the ids of a word after all merges.

    ids: a list of bytes, at least one. merges: a list of tuples (a, b), some of which the word may
    not have.
    """
    # BEGIN SOLUTION
    for k, pair in enumerate(merges):
        ids = merge(ids, pair, 256 + k)
    return list(ids)
    # END SOLUTION
