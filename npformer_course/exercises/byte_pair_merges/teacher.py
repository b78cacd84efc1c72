"""How the answers to byte_pair_merges are checked."""

from itertools import pairwise

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import occurrences_slowly


def inputs(draw, N):
    """Draw words on which each way to count gives other merges, lists to merge, and a word to cut.

    Each letter has one use, but for one that two tied pairs begin with, so that nothing but the
    counts decides which pair is merged. Two of them are the smallest and the largest byte. The word
    to cut has a single byte in every third draw.
    """
    rng = draw.rng
    letters = (97 + rng.permutation(26)).tolist()
    letters[:2] = 0, 255
    d, z, a, e, h, i, k, y, x1, x2, x3 = letters[:11]
    tied = sorted(letters[11:17])
    # these three occur equally often: the first two share an id, the last has the smallest second
    first = [tied[0], tied[2]]
    second = [tied[0], tied[3]]
    third = [tied[4], tied[1]]
    spare = letters[17:]

    often = int(rng.integers(10, 13))
    words_and_counts = [
        ([z], 30),  # no pair, unless one reaches into the next word
        (second, 18),
        ([a, a, a], often),
        ([*first, e, y, *first], 9),
        ([h, i], 15),
        (third, 18),
        ([i, h, x1], 2),
        ([d, k, x1], 1),
        ([d, k, x2], 1),
        ([x3, d, k], 1),
        ([d, k], 1),
        ([x1, x2, d, k], 1),
    ]
    for n in range(N):
        # each begins with another letter: no word is there twice
        more = rng.choice(spare, rng.integers(1, 5)).tolist()
        words_and_counts.append(([spare[n], *more], 1 + n % 2))

    ids_equal = []
    for n in rng.permutation([2, 3, 4]).tolist():
        ids_equal += [a] * n + [h]
    ids_equal += [a] * 3
    # as text, the numbers of the last piece end like those of the pair
    pieces = [[a, d], [a, d], [d, a], [a, a, d], [h], [d, h], [i, d], [1000 + a, d]]
    ids = in_any_order(rng, pieces) + [a]

    n_merges = int(rng.integers(3, 5))
    new_id = int(rng.integers(256, 300))
    pieces = [[h, i, z, e], [h, i], [i, z], [k, h, i, z], [a], [a, e, d, z, a], [x1, x1, x1]]
    ids_new = in_any_order(rng, pieces) + [a, i, h, a]
    if draw.lowest:
        ids_new = [a]

    merges = [
        (i, z),
        (h, i),
        (y, z),  # not in the word
        (256, e),
        (k, h),
        (h, 256),
        (e, d),
        (d, z),
        (x1, x1),  # the first two of three
    ]
    return {
        "words": [word for word, _ in words_and_counts],
        "counts": [count for _, count in words_and_counts],
        "words_whole": [[a] * 8, [z]],  # each becomes one id, and no pair is left
        "counts_whole": [3, 2],
        "n_merges": n_merges,
        "pair": (a, d),
        "ids": ids,
        "new_id": new_id,
        "pair_equal": (a, a),
        "ids_equal": ids_equal,
        "ids_new": ids_new,
        "merges": merges,
    }


def in_any_order(rng, pieces):
    """Return lists of ids one after the other, in a random order."""
    ids = []
    for place in rng.permutation(len(pieces)):
        ids += pieces[place]
    return ids


def pairs_in(words):
    """Return the pairs of neighbors in words, sorted."""
    pairs = set()
    for ids in words:
        pairs.update(pairwise(ids))
    return sorted(pairs)


def counted(student, words, counts):
    """Return how often each pair was counted, and how often pairs that are in no word."""
    result = student.count_pairs(words, counts)
    if result is None:
        return None
    pairs = pairs_in(words)
    of_pairs = [result.get(pair, 0) for pair in pairs]
    of_others = sum(n for pair, n in result.items() if pair not in pairs)
    return [*of_pairs, of_others]


def merged(student, ids, pair, new_id):
    return student.merge(ids, pair, new_id)


def merged_equal(student, ids_equal, pair_equal, new_id):
    return student.merge(ids_equal, pair_equal, new_id)


def learned(student, words, counts, n_merges):
    return student.learn_merges(words, counts, n_merges)


def learned_to_the_end(student, words, counts, words_whole, counts_whole):
    until_none_twice = student.learn_merges(words, counts, 100)
    until_none_left = student.learn_merges(words_whole, counts_whole, 100)
    return until_none_twice, until_none_left


def cut(student, ids_new, merges):
    ids = student.encode(ids_new, merges)
    # a tuple would count as several results
    return list(ids) if isinstance(ids, tuple) else ids


def counted_slowly(words, counts):
    return [occurrences_slowly(words, counts, pair) for pair in pairs_in(words)] + [0]


def merged_slowly(ids, pair, new_id):
    text = "".join(map(chr, ids))
    old = chr(pair[0]) + chr(pair[1])
    return [ord(letter) for letter in text.replace(old, chr(new_id))]


def merged_equal_slowly(ids_equal, pair_equal, new_id):
    return merged_slowly(ids_equal, pair_equal, new_id)


def cut_slowly(ids_new, merges):
    """Join one pair at a time, of all that are there the one learned first, on the left first."""
    ids = list(ids_new)
    while True:
        matches = []
        for i, pair in enumerate(pairwise(ids)):
            if pair in merges:
                matches.append((merges.index(pair), i))
        if not matches:
            return ids
        k, i = min(matches)
        ids[i : i + 2] = [256 + k]


def places_of_pairs(words):
    """Return of which pair each count is, and where it is in the words."""
    last = {tuple(ids[-2:]) for ids in words}
    places = []
    for pair in pairs_in(words):
        place = f"for the pair {pair}"
        if pair in last:
            place += ", the last of a word"
        places.append(place)
    return [*places, "for pairs that are in no word"]


EXERCISE = Exercise(
    minutes=45,
    difficulty=3,
    importance=3,
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
        "merged_equal": merged_equal_slowly,
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
