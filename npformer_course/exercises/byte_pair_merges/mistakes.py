"""What people write in place of the solution of byte_pair_merges, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "words_counted_once",
        "{part}: these numbers come out when every word counts once, however often it occurs",
        Edit("pair_counts[pair] += count", "pair_counts[pair] += 1"),
        ask="A word occurs 1000 times, another once. Do their pairs count the same?",
    ),
    Mistake(
        "pair_once_per_word",
        "{part}: these numbers come out when a pair counts once in a word that has it twice",
        Edit("for pair in pairwise(ids):", "for pair in set(pairwise(ids)):"),
        ask="How often does the pair a n occur in banana?",
    ),
    Mistake(
        "overlaps_left_out",
        "{part}: these numbers come out when overlapping occurrences of a pair are not counted",
        Edit(
            "        for pair in pairwise(ids):\n            pair_counts[pair] += count",
            "        end = {}\n        for i, pair in enumerate(pairwise(ids)):\n"
            "            if end.get(pair, 0) <= i:\n                end[pair] = i + 2\n"
            "                pair_counts[pair] += count",
        ),
        ask=(
            "How many pairs of neighbors does a list of three ids have? Do all count if the three"
            " are equal?"
        ),
    ),
    Mistake(
        "across_words",
        "{part}: these numbers come out when the last id of a word and the first of the next word "
        "count as a pair",
        Edit(
            "    for ids, count in zip(words, counts, strict=True):\n"
            "        for pair in pairwise(ids):\n"
            "            pair_counts[pair] += count",
            "    flat = []\n"
            "    for ids, count in zip(words, counts, strict=True):\n"
            "        flat += [(id, count) for id in ids]\n"
            "    for (a, count), (b, _) in pairwise(flat):\n        pair_counts[a, b] += count",
        ),
        ask="Which words stand next to each other in this list, and did they do so in the text?",
    ),
    Mistake(
        "pairs_without_order",
        "{part}: these numbers come out when (a, b) and (b, a) are counted together",
        Edit("pair_counts[pair] += count", "pair_counts[min(pair), max(pair)] += count"),
        ask="Are es and se the same pair?",
    ),
    Mistake(
        "first_one_only",
        "{part}: these numbers come out when a list is merged at its first occurrence of the pair "
        "alone",
        Edit("== pair:", "== pair and new_id not in merged:"),
        ask="What should become of the second a n in banana?",
    ),
    Mistake(
        "second_id_kept",
        "{part}: these numbers come out when the new id replaces the first id of the pair, and the"
        " second id stays",
        Edit("i += 2", "i += 1"),
        ask="After a merge, which position of the list do you look at next?",
    ),
    Mistake(
        "from_the_right",
        "{part}: these numbers come out when equal neighbors are merged from the right",
        Edit("merged = []", "merged = []\n    ids = ids[::-1]\n    pair = pair[::-1]"),
        Edit("return merged", "return merged[::-1]"),
        ask="Three equal ids, and two of them are merged. Which one is left over?",
    ),
    Mistake(
        "either_order",
        "{part}: these numbers come out when the ids of the pair are merged in the other order too",
        Edit("tuple(ids[i : i + 2]) == pair", "sorted(ids[i : i + 2]) == sorted(pair)"),
        ask="If e s becomes one token, what about s e?",
    ),
    Mistake(
        "last_id_lost",
        "{part}: these numbers come out when the last id of a list is lost, unless it is merged",
        Edit("while i < len(ids):", "while i < len(ids) - 1:"),
        ask="The last id has no right neighbor. Where does it enter your result?",
    ),
    Mistake(
        "id_0_lost",
        "{part}: these numbers come out when every id 0 is lost",
        Edit("return merged", "return [id for id in merged if id]"),
        ask="Which of your lines make a difference between 0 and other ids?",
    ),
    Mistake(
        "first_of_equals",
        "{part}: these numbers come out when, of pairs that occur equally often, the one is merged"
        " that was counted first",
        Edit(
            "best = min(pair for pair in pairs if pairs[pair] == most)",
            "best = max(pairs, key=pairs.get)",
        ),
        ask="If the words came in another order, should the merges be others?",
    ),
    Mistake(
        "largest_of_equals",
        "{part}: these numbers come out when, of pairs that occur equally often, the largest is "
        "merged",
        Edit("best = min(pair", "best = max(pair"),
        ask=(
            "Which pair is smaller, (101, 115) or (115, 116), and which one is merged in the "
            "example?"
        ),
    ),
    Mistake(
        "never_merged",
        "{part}: these numbers come out when all pairs are counted in the words as they were at "
        "the start",
        Edit("words = [merge(ids, best, 256 + k) for ids in words]", "pairs.pop(best)"),
        Edit(
            "pairs = count_pairs(words, counts)",
            "pairs = pairs if merges else count_pairs(words, counts)",
        ),
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
        "{part}: these numbers come out when every merge makes the same new id",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, 256)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, 256)"),
        ask="After two merges, how do you tell the two new tokens apart?",
    ),
    Mistake(
        "ids_one_too_high",
        "{part}: these numbers come out when the first merge makes the id 257",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, 257 + k)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, 257 + k)"),
        ask="Bytes are 0 to 255. Which id is the first that is free?",
    ),
    Mistake(
        "last_merge_first",
        "{part}: these numbers come out when the merge that was learned last is done first",
        Edit("in enumerate(merges):", "in reversed([*enumerate(merges)]):"),
        ask=(
            "A later merge may join a token that an earlier one has to make. Which of the two "
            "must come first?"
        ),
    ),
    Mistake(
        "smallest_pair_first",
        "{part}: these numbers come out when the merges are done in the order of their pairs, the "
        "smallest pair first",
        Edit("in enumerate(merges):", "in sorted(enumerate(merges), key=lambda one: one[1]):"),
        ask="Which merge does the text want first, and which does your code take first?",
    ),
    Mistake(
        "leftmost_first",
        "{part}: these numbers come out when the leftmost pair is joined first, whichever was "
        "learned first",
        Edit(
            "    for k, pair in enumerate(merges):\n        ids = merge(ids, pair, 256 + k)\n",
            "    while found := [pair for pair in pairwise(ids) if pair in merges]:\n"
            "        ids = merge(ids, found[0], 256 + merges.index(found[0]))\n",
        ),
        ask=(
            "Two pairs of the word are in the list, and they share an id. Which of them had been "
            "learned first?"
        ),
    ),
    Mistake(
        "down_to_three",
        "{part}: these numbers come out when learning ends although a pair occurs twice",
        Edit("if most < 2:", "if most < 3:"),
        ask="How often does a pair have to occur to be worth a token?",
    ),
    Mistake(
        "one_too_many",
        "{part}: these numbers come out when n_merges + 1 pairs are learned",
        Edit("for k in range(n_merges):", "for k in range(n_merges + 1):"),
        ask="With n_merges = 1, how often does your loop run?",
    ),
    Mistake(
        "one_too_few",
        "{part}: these numbers come out when n_merges - 1 pairs are learned",
        Edit("for k in range(n_merges):", "for k in range(n_merges - 1):"),
        ask="With n_merges = 1, how often does your loop run?",
    ),
    Mistake(
        "ids_from_0",
        "{part}: these numbers come out when the first merge makes the id 0",
        Edit("merge(ids, best, 256 + k)", "merge(ids, best, k)"),
        Edit("merge(ids, pair, 256 + k)", "merge(ids, pair, k)"),
        ask="Bytes are 0 to 255. Which id is the first that is free?",
    ),
    Mistake(
        "unused_merge_ends",
        "{part}: these numbers come out when nothing is merged any more after the first pair that "
        "the word does not have",
        Edit(
            "        ids = merge(ids, pair, 256 + k)\n",
            "        if pair not in pairwise(ids):\n            break\n"
            "        ids = merge(ids, pair, 256 + k)\n",
        ),
        ask=(
            "The list of merges has thousands of pairs. Does a word have to have all those before"
            " the one it has?"
        ),
    ),
    Mistake(
        "one_merge_alone",
        "{part}: these numbers come out when only the first pair that the word has is merged",
        Edit(
            "        ids = merge(ids, pair, 256 + k)\n",
            "        ids = merge(ids, pair, 256 + k) if 256 > max(ids) else ids\n",
        ),
        ask=(
            "After the first merge, which pairs does the word have, and are any of them in the "
            "list?"
        ),
    ),
    Mistake(
        "every_merge_in_the_bytes",
        "{part}: these numbers come out when each pair is merged in the bytes as they came in, and"
        " the last result counts",
        Edit(
            "    for k, pair in enumerate(merges):\n        ids",
            "    bytes_in = ids\n    for k, pair in enumerate(merges):\n        ids",
        ),
        Edit("ids = merge(ids, pair, 256 + k)", "ids = merge(bytes_in, pair, 256 + k)"),
        ask="Which list does the second merge read: the bytes, or what the first merge has made?",
    ),
    Mistake(
        "ids_of_merges_done",
        "{part}: these numbers come out when a pair that the word does not have takes no id, so "
        "that later merges make smaller ids",
        Edit(
            "    for k, pair in enumerate(merges):\n        ids = merge(ids, pair, 256 + k)\n",
            "    k = 0\n"
            "    for pair in merges:\n"
            "        merged = merge(ids, pair, 256 + k)\n"
            "        k += len(merged) < len(ids)\n"
            "        ids = merged\n",
        ),
        ask="Two words have a pair in common. Does it get the same id in both of yours?",
    ),
]
