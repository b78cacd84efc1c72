"""How the answers to byte_pair_merges are checked."""

from itertools import pairwise

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import occurrences_slowly


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
        "ids_new": [id for j in rng.permutation(len(new_word)).tolist() for id in new_word[j]]
        + [a, i, h, a],
        "merges": [
            (i, z),
            (h, i),
            (y, z),
            (256, e),
            (k, h),
            (h, 256),
            (e, d),
            (d, z),
        ],  # (y, z) is not in the word
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
        else [result.get(pair, 0) for pair in pairs]
        + [sum(n for pair, n in result.items() if pair not in pairs)]
    )


def merged(student, ids, pair, new_id):
    return student.merge(ids, pair, new_id)


def merged_equal(student, ids_equal, pair_equal, new_id):
    return student.merge(ids_equal, pair_equal, new_id)


def learned(student, words, counts, n_merges):
    return student.learn_merges(words, counts, n_merges)


def learned_to_the_end(student, words, counts, words_whole, counts_whole):
    return student.learn_merges(words, counts, 100), student.learn_merges(
        words_whole, counts_whole, 100
    )


def cut(student, ids_new, merges):
    return student.encode(ids_new, merges)


def counted_slowly(words, counts):
    return [occurrences_slowly(words, counts, pair) for pair in pairs_in(words)] + [0]


def cut_slowly(ids_new, merges):
    """Join one pair at a time: the one learned first of all that are there, its leftmost occurrence."""
    ids = [*ids_new]
    while matches := [
        (merges.index(pair), i) for i, pair in enumerate(pairwise(ids)) if pair in merges
    ]:
        k, i = min(matches)
        ids[i : i + 2] = [256 + k]
    return ids


def merged_slowly(ids, pair, new_id):
    text = "".join(map(chr, ids))
    return [ord(letter) for letter in text.replace("".join(map(chr, pair)), chr(new_id))]


def places_of_pairs(words):
    """Return of which pair each count is, and where it is in the words."""
    last = {tuple(ids[-2:]) for ids in words}
    pairs = [
        f"for the pair {pair}{', the last of a word' * (pair in last)}" for pair in pairs_in(words)
    ]
    return [*pairs, "for pairs that are in no word"]


EXERCISE = Exercise(
    minutes=45,
    difficulty=3,
    importance=3,
    notebook="04c",
    inputs=inputs,
    sizes={"N": (0, 4)},
    calls=[
        Call(counted, {"pairs and their counts": 3}),
        Call(merged, {"merged ids": 2}),
        Call(merged_equal, {"merged ids of two equal ids": 1}),
        Call(learned, {"merges": 1}),
        Call(
            learned_to_the_end,
            {"merges until no pair occurs twice": 1, "merges until no pair is left": 1},
        ),
        Call(cut, {"ids of a new word": 2}),
    ],
    axes={"pairs and their counts": ()},
    where={"pairs and their counts": places_of_pairs},
    slow={
        "counted": counted_slowly,
        "merged": merged_slowly,
        "merged_equal": lambda ids_equal, pair_equal, new_id: merged_slowly(
            ids_equal, pair_equal, new_id
        ),
        "cut": cut_slowly,
    },
    prediction=Prediction(
        "A text is the single word aaaa, and the pair (a, a) is merged. How often did it occur "
        "before, and how many ids does the word have afterwards?",
        {"a": "twice, and 2 ids", "b": "three times, and 2 ids", "c": "three times, and 1 id"},
        answer="b",
        because=(
            "Neighbors are positions 1 and 2, 2 and 3, 3 and 4: three pairs. Merging uses up the "
            "ids: 1 and 2 become one new id, 3 and 4 another. So a count can be larger than the "
            "number of replacements."
        ),
    ),
    hints=[
        "Take the functions in order: counting is two loops, over words and over the neighbors in"
        " each. Merging is a walk along the list with an index of your own, since it moves on by "
        "2 after a merge and by 1 otherwise.",
        "Learning is a loop over k: count n(a, b) in the words as they are now, find the largest "
        "n, take the smallest of the pairs that have it, and replace every word by its merged "
        "form with the id 256 + k.",
        "Two places are easily missed: max of an empty dict needs default=0, since at the end no "
        "word may have a pair; and the first merge in the list is the first to be done in a new "
        "word, in all of it, before the second begins.",
    ],
)
