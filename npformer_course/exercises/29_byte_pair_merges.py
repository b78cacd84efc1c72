# id: byte_pair_merges | points: 12 | minutes: 45 | level: 2 | needs: - | notebook: 04c

# %% [markdown]
# # Byte-pair merges
#
# The model reads ids, so a text must be cut into tokens first. Whole words are a poor cut: "smaller" has no id if only
# "small" was seen. Letters are a poor cut too: sentences become long. Section 5.1 of the paper takes neither. It cuts
# English and German into about 37,000 tokens that were *learned* by byte-pair encoding (Sennrich et al. 2016): start
# from single bytes, and join the most frequent pair of neighbors into one new token, again and again. Frequent words
# end up as one token, rare words as several, and nothing is unknown.
#
# **Words as ids.** A word is a list of ids. At the start these are its bytes, 0 to 255, and every merge makes one new
# id: the first merge makes 256, the second 257, merge number $k$, counted from 0, makes $256 + k$. No pair reaches from
# one word into the next, so it suffices to know each different word once, and how often it occurs.
#
# **Counting.** Let $w$ be a word of length $|w|$, and $c_w$ how often it occurs. The pair $(a, b)$ occurs
#
# $$n(a, b) = \sum_w c_w \sum_{i=1}^{|w| - 1} [w_i = a \text{ and } w_{i+1} = b]$$
#
# times, where the bracket is 1 if it holds and 0 otherwise. Every two neighbors count, also where they overlap: the
# word `aaa` has two pairs `aa`. For one pair this is:

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
# **An example.** Take "low" 5 times, "lower" twice, "newest" 6 times and "widest" 3 times. In bytes, "low" is
# `list(b"low")`, that is `[108, 111, 119]`. The pairs "es" and "st" both occur 9 times, more often than all others. The
# smaller pair comes first: "es" is `(101, 115)`, "st" is `(115, 116)`, and Python compares tuples from the left. So
# "es" becomes id 256, and "newest" is now `[110, 101, 119, 256, 116]`. Count again: the pair `(256, 116)` occurs 9
# times, and becomes 257.
#
# **Merging.** In one list, from left to right, every occurrence of the pair is replaced by the new id. An id that has
# been used is gone: `aaa` becomes the new id and an `a`.
#
# **A new word** is cut with the same merges, in the order in which they were learned. "lowest" was not among the four
# words, but it has an "est" all the same.
#
# ## Your turn
#
# Write four short functions. `learn_merges` and `encode` can call the two before them. The rules of learning:
#
# - Of pairs that occur equally often, the smallest is merged.
# - A pair that occurs only once is not worth a token. Learning ends when no pair occurs twice, or after `n_merges`. (A
#   word that occurs twice makes each of its pairs occur twice.)
#
# `Counter` is a dict whose values begin with 0, and `pairwise([1, 2, 3])` yields `(1, 2)` and `(2, 3)`. With
# `words = [list(b"low"), list(b"lower"), list(b"newest"), list(b"widest")]` and `counts = [5, 2, 6, 3]` you can try
# the example.


# %%
def count_pairs(words, counts):
    """Return how often each pair of neighbors occurs: a dict, (a, b) -> n, of the pairs that occur.

    words: lists of ids. counts: how often each word occurs. A Counter is a dict too; other pairs may be in it with 0.
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

    ids: a list of ids. pair: (a, b).
    """
    # BEGIN SOLUTION
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == tuple(pair):
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
    # END SOLUTION


def learn_merges(words, counts, n_merges):
    """Return the pairs that are merged, in their order: a list of at most n_merges pairs (a, b)."""
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
    """Return the ids of a word after all merges. ids: a list of bytes. merges: a list of pairs (a, b)."""
    # BEGIN SOLUTION
    for k, pair in enumerate(merges):
        ids = merge(ids, pair, 256 + k)
    return list(ids)
    # END SOLUTION


# %% tags=["teacher"]

from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"N": (0, 4)}  # words drawn freely


def inputs(draw, N):
    """Draw words on which each way to count gives other merges, two lists to merge a pair in, and a word to cut.

    Of the letters each has one use, so that nothing but the counts decides which pair is merged.
    """
    rng = draw.rng
    a, e, h, i, d, k, z, y, x1, x2, x3, *others = (97 + rng.permutation(26)).tolist()
    tied = sorted(others[:6])
    first, second, third = (tied[j : j + 2] for j in (0, 2, 4))  # equally often, in this order
    spare = others[6:]
    often = int(rng.integers(10, 13))
    words = [
        ([z], 30),  # no pair, unless one reaches into the next word
        (second, 18),
        ([a, a, a], often),
        ([*first, e, y, *first], 9),
        ([h, i], 15),
        (third, 18),
        ([i, h, x1], 2),
    ]
    words += [(word, 1) for word in ([d, k, x1], [d, k, x2], [x3, d, k], [d, k], [x1, x2, d, k])]
    words += [(rng.choice(spare, rng.integers(2, 6)).tolist(), 1 + n % 2) for n in range(N)]

    blocks = [[a, d], [a, d], [d, a], [a, a, d], [h], [d, h], [i, d]]
    runs = [[a] * n + [h] for n in rng.permutation([2, 3, 4]).tolist()]
    ids = [id for j in rng.permutation(len(blocks)).tolist() for id in blocks[j]]
    new_word = [[h, i, z, e], [h, i], [i, z], [k, *[h, i, z]], [a], [a, e, d, z, a]]
    return {
        "words": [word for word, _ in words],
        "counts": [count for _, count in words],
        "words_whole": [[a] * 8, [z]],  # each becomes one id, and no pair is left
        "counts_whole": [3, 2],
        "n_merges": int(rng.integers(3, 5)),
        "pair": (a, d),
        "ids": [*ids, i],
        "new_id": int(rng.integers(256, 300)),
        "pair_equal": (a, a),
        "ids_equal": [id for run in runs for id in run] + [a] * 3,
        "ids_new": [id for j in rng.permutation(len(new_word)).tolist() for id in new_word[j]] + [a, i, h, a],
        "merges": [(i, z), (h, i), (y, z), (256, e), (k, h), (h, 256), (e, d), (d, z)],  # (y, z) is not in the word
    }


def pairs_in(words):
    """Return the pairs of neighbors in words, sorted."""
    return sorted({pair for ids in words for pair in pairwise(ids)})


def counted(student, words, counts):
    """Return how often each pair of the words was counted, and how often pairs that are in no word."""
    result, pairs = student.count_pairs(words, counts), pairs_in(words)
    return (
        None
        if result is None
        else [result.get(pair, 0) for pair in pairs] + [sum(n for pair, n in result.items() if pair not in pairs)]
    )


def merged(student, ids, pair, new_id):
    return student.merge(ids, pair, new_id)


def merged_equal(student, ids_equal, pair_equal, new_id):
    return student.merge(ids_equal, pair_equal, new_id)


def learned(student, words, counts, n_merges):
    return student.learn_merges(words, counts, n_merges)


def learned_to_the_end(student, words, counts, words_whole, counts_whole):
    return student.learn_merges(words, counts, 100), student.learn_merges(words_whole, counts_whole, 100)


def cut(student, ids_new, merges):
    return student.encode(ids_new, merges)


CALLS = [
    Call(counted, {"pairs and their counts": 3}),
    Call(merged, {"merged ids": 2}),
    Call(merged_equal, {"merged ids of two equal ids": 1}),
    Call(learned, {"merges": 1}),
    Call(learned_to_the_end, {"merges until no pair occurs twice": 1, "merges until no pair is left": 1}),
    Call(cut, {"ids of a new word": 2}),
]


def counted_slowly(words, counts):
    return [occurrences_slowly(words, counts, pair) for pair in pairs_in(words)] + [0]


def cut_slowly(ids_new, merges):
    """Join one pair at a time: the one learned first of all that are there, its leftmost occurrence."""
    ids = [*ids_new]
    while matches := [(merges.index(pair), i) for i, pair in enumerate(pairwise(ids)) if pair in merges]:
        k, i = min(matches)
        ids[i : i + 2] = [256 + k]
    return ids


def merged_slowly(ids, pair, new_id):
    text = "".join(map(chr, ids))
    return [ord(letter) for letter in text.replace("".join(map(chr, pair)), chr(new_id))]


def places_of_pairs(words):
    """Return of which pair each count is, and where it is in the words."""
    last = {tuple(ids[-2:]) for ids in words}
    pairs = [f"for the pair {pair}{', the last of a word' * (pair in last)}" for pair in pairs_in(words)]
    return [*pairs, "for pairs that are in no word"]


AXES = {"pairs and their counts": ()}
WHERE = {"pairs and their counts": places_of_pairs}
SLOW = {
    "counted": counted_slowly,
    "merged": merged_slowly,
    "merged_equal": lambda ids_equal, pair_equal, new_id: merged_slowly(ids_equal, pair_equal, new_id),
    "cut": cut_slowly,
}

PREDICTION = Prediction(
    "A text is the single word aaaa, and the pair (a, a) is merged. How often did it occur before, and how many ids "
    "does the word have afterwards?",
    {"a": "twice, and 2 ids", "b": "three times, and 2 ids", "c": "three times, and 1 id"},
    answer="b",
    because="Neighbors are positions 1 and 2, 2 and 3, 3 and 4: three pairs. Merging uses up the ids: 1 and 2 become "
    "one new id, 3 and 4 another. So a count can be larger than the number of replacements.",
)

MISTAKES = [
    Mistake(
        "words_counted_once",
        "{part} is what comes out when every word counts once, however often it occurs",
        Edit("pair_counts[pair] += count", "pair_counts[pair] += 1"),
        ask="A word occurs 1000 times, another once. Do their pairs count the same?",
    ),
    Mistake(
        "pair_once_per_word",
        "{part} is what comes out when a pair counts once in a word that has it twice",
        Edit("for pair in pairwise(ids):", "for pair in set(pairwise(ids)):"),
        ask="How often does the pair a n occur in banana?",
    ),
    Mistake(
        "overlaps_left_out",
        "{part} is what comes out when overlapping occurrences of a pair are not counted",
        Edit(
            "        for pair in pairwise(ids):\n            pair_counts[pair] += count",
            "        end = {}\n        for i, pair in enumerate(pairwise(ids)):\n"
            "            if end.get(pair, 0) <= i:\n                end[pair] = i + 2\n"
            "                pair_counts[pair] += count",
        ),
        ask="How many pairs of neighbors does a list of three ids have? Do all count if the three are equal?",
    ),
    Mistake(
        "across_words",
        "{part} is what comes out when the last id of a word and the first of the next word count as a pair",
        Edit(
            "    for ids, count in zip(words, counts, strict=True):\n        for pair in pairwise(ids):\n"
            "            pair_counts[pair] += count",
            "    flat = [(id, count) for ids, count in zip(words, counts, strict=True) for id in ids]\n"
            "    for (a, count), (b, _) in pairwise(flat):\n        pair_counts[a, b] += count",
        ),
        ask="Which words stand next to each other in this list, and did they do so in the text?",
    ),
    Mistake(
        "pairs_without_order",
        "{part} is what comes out when (a, b) and (b, a) are counted together",
        Edit("pair_counts[pair] += count", "pair_counts[min(pair), max(pair)] += count"),
        ask="Are es and se the same pair?",
    ),
    Mistake(
        "first_one_only",
        "{part} is what comes out when a list is merged at its first occurrence of the pair alone",
        Edit("== tuple(pair):", "== tuple(pair) and new_id not in merged:"),
        ask="What should become of the second a n in banana?",
    ),
    Mistake(
        "second_id_kept",
        "{part} is what comes out when the new id replaces the first id of the pair, and the second id stays",
        Edit("i += 2", "i += 1"),
        ask="After a merge, which position of the list do you look at next?",
    ),
    Mistake(
        "from_the_right",
        "{part} is what comes out when equal neighbors are merged from the right",
        Edit("merged, i = [], 0", "merged, i, ids, pair = [], 0, ids[::-1], pair[::-1]"),
        Edit("return merged", "return merged[::-1]"),
        ask="Three equal ids, and two of them are merged. Which one is left over?",
    ),
    Mistake(
        "either_order",
        "{part} is what comes out when the ids of the pair are merged in the other order too",
        Edit("tuple(ids[i : i + 2]) == tuple(pair)", "sorted(ids[i : i + 2]) == sorted(pair)"),
        ask="If e s becomes one token, what about s e?",
    ),
    Mistake(
        "last_id_lost",
        "{part} is what comes out when the last id of a list is lost, unless it is merged",
        Edit("while i < len(ids):", "while i < len(ids) - 1:"),
        ask="The last id has no right neighbor. Where does it enter your result?",
    ),
    Mistake(
        "first_of_equals",
        "{part} is what comes out when, of pairs that occur equally often, the one is merged that was counted first",
        Edit("best = min(pair for pair in pairs if pairs[pair] == most)", "best = max(pairs, key=pairs.get)"),
        ask="If the words came in another order, should the merges be others?",
    ),
    Mistake(
        "largest_of_equals",
        "{part} is what comes out when, of pairs that occur equally often, the largest is merged",
        Edit("best = min(pair", "best = max(pair"),
        ask="Which pair is smaller, (101, 115) or (115, 116), and which one is merged in the example?",
    ),
    Mistake(
        "never_merged",
        "{part} is what comes out when all pairs are counted in the words as they were at the start",
        Edit("words = [merge(ids, best, 256 + k) for ids in words]", "pairs.pop(best)"),
        Edit("pairs = count_pairs(words, counts)", "pairs = pairs if merges else count_pairs(words, counts)"),
        ask="The pair e s has become one id. In which words do you count next?",
    ),
    Mistake(
        "same_pair_again",
        "{part} is one pair again and again",
        Edit("words = [merge(ids, best, 256 + k) for ids in words]", "pass"),
        ask="After the first merge, what has changed in the words that you count next?",
    ),
    Mistake(
        "down_to_one",
        "pairs that occur only once are merged too",
        Edit("if most < 2:", "if most < 1:"),
        ask="How often does a pair have to occur to be worth a token?",
    ),
    Mistake(
        "one_id_for_all",
        "{part} is what comes out when every merge makes the same new id",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, 256)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, 256)"),
        ask="After two merges, how do you tell the two new tokens apart?",
    ),
    Mistake(
        "ids_one_too_high",
        "{part} is what comes out when the first merge makes the id 257",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, 257 + k)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, 257 + k)"),
        ask="Bytes are 0 to 255. Which id is the first that is free?",
    ),
    Mistake(
        "last_merge_first",
        "{part} is what comes out when the merge that was learned last is done first",
        Edit("in enumerate(merges):", "in reversed([*enumerate(merges)]):"),
        ask="A later merge may join a token that an earlier one has to make. Which of the two must come first?",
    ),
    Mistake(
        "smallest_pair_first",
        "{part} is what comes out when the merges are done in the order of their pairs, the smallest pair first",
        Edit("in enumerate(merges):", "in sorted(enumerate(merges), key=lambda one: one[1]):"),
        ask="Which merge does the text want first, and which does your code take first?",
    ),
    Mistake(
        "leftmost_first",
        "{part} is what comes out when the leftmost pair is joined first, whichever was learned first",
        Edit(
            "    for k, pair in enumerate(merges):\n        ids = merge(ids, pair, 256 + k)\n",
            "    while found := [pair for pair in pairwise(ids) if pair in merges]:\n"
            "        ids = merge(ids, found[0], 256 + merges.index(found[0]))\n",
        ),
        ask="Two pairs of the word are in the list, and they share an id. Which of them had been learned first?",
    ),
    Mistake(
        "down_to_three",
        "{part} is what comes out when learning ends although a pair occurs twice",
        Edit("if most < 2:", "if most < 3:"),
        ask="How often does a pair have to occur to be worth a token?",
    ),
    *(
        Mistake(
            f"one_too_{word}",
            f"{{part}} is what comes out when n_merges {sign} 1 pairs are learned",
            Edit("for k in range(n_merges):", f"for k in range(n_merges {sign} 1):"),
            ask="With n_merges = 1, how often does your loop run?",
        )
        for word, sign in (("many", "+"), ("few", "-"))
    ),
    Mistake(
        "ids_from_0",
        "{part} is what comes out when the first merge makes the id 0",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, k)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, k)"),
        ask="Bytes are 0 to 255. Which id is the first that is free?",
    ),
    Mistake(
        "unused_merge_ends",
        "{part} is what comes out when nothing is merged any more after the first pair that the word does not have",
        Edit(
            "        ids = merge(ids, pair, 256 + k)\n",
            "        if pair not in pairwise(ids):\n            break\n        ids = merge(ids, pair, 256 + k)\n",
        ),
        ask="The list of merges has thousands of pairs. Does a word have to have all those before the one it has?",
    ),
    Mistake(
        "one_merge_alone",
        "{part} is what comes out when only the first pair that the word has is merged",
        Edit(
            "        ids = merge(ids, pair, 256 + k)\n",
            "        ids = merge(ids, pair, 256 + k) if 256 > max(ids) else ids\n",
        ),
        ask="After the first merge, which pairs does the word have, and are any of them in the list?",
    ),
    Mistake(
        "every_merge_in_the_bytes",
        "{part} is what comes out when each pair is merged in the bytes as they came in, and the last result counts",
        Edit(
            "    for k, pair in enumerate(merges):\n        ids",
            "    bytes_in, ids = ids, ids\n    for k, pair in enumerate(merges):\n        ids",
        ),
        Edit("ids = merge(ids, pair, 256 + k)", "ids = merge(bytes_in, pair, 256 + k)"),
        ask="Which list does the second merge read: the bytes, or what the first merge has made?",
    ),
]

HINTS = [
    "Take the functions in order: counting is two loops, over words and over the neighbors in each. Merging is a walk "
    "along the list with an index of your own, since it moves on by 2 after a merge and by 1 otherwise.",
    "Learning is a loop over k: count n(a, b) in the words as they are now, find the largest n, take the smallest of "
    "the pairs that have it, and replace every word by its merged form with the id 256 + k.",
    "Two places are easily missed: max of an empty dict needs default=0, since at the end no word may have a pair; "
    "and the first merge in the list is the first to be done in a new word, in all of it, before the second begins.",
]

ALTERNATIVES = [
    """
def count_pairs(words, counts):
    found = {}
    for w in range(len(words)):
        for i in range(len(words[w]) - 1):
            pair = words[w][i], words[w][i + 1]
            found[pair] = found.get(pair, 0) + counts[w]
    return found

def merge(ids, pair, new_id):
    ids = list(ids)
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i : i + 2] = [new_id]
        i += 1
    return ids

def learn_merges(words, counts, n_merges):
    merges = []
    while len(merges) < n_merges:
        ordered = sorted(count_pairs(words, counts).items(), key=lambda entry: (-entry[1], entry[0]))
        if not ordered or ordered[0][1] == 1:
            return merges
        words = [merge(word, ordered[0][0], 256 + len(merges)) for word in words]
        merges.append(ordered[0][0])
    return merges

def encode(ids, merges):
    rank = {pair: k for k, pair in enumerate(merges)}
    while True:
        known = [pair for pair in zip(ids, ids[1:]) if pair in rank]
        if not known:
            return ids
        first = min(known, key=rank.get)
        ids = merge(ids, first, 256 + rank[first])
""",
    """
def count_pairs(words, counts):
    all_pairs = [pair for ids, n in zip(words, counts) for pair in list(pairwise(ids)) * n]
    return dict(Counter(all_pairs))

def merge(ids, pair, new_id):
    text = "".join(chr(id) for id in ids)
    return np.array([ord(c) for c in text.replace(chr(pair[0]) + chr(pair[1]), chr(new_id))])

def learn_merges(words, counts, n_merges):
    words, merges = [list(ids) for ids in words], np.zeros((0, 2), int)
    for k in range(n_merges):
        pairs = count_pairs(words, counts)
        n, a, b = max([(n, -a, -b) for (a, b), n in pairs.items()] + [(0, 0, 0)])
        if n > 1:
            merges = np.append(merges, [[-a, -b]], 0)
            words = [merge(ids, (-a, -b), 256 + k).tolist() for ids in words]
    return merges

def encode(ids, merges):
    return merge(encode(ids, merges[:-1]), merges[-1], 255 + len(merges)) if merges else ids

import numpy as np
""",
]
