"""What people write in place of the solution of masks, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "padding_inverted",
        "True stands only where padding is",
        Edit("return words[:", "return ~words[:"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "zero_is_padding",
        "the mask does not depend on pad_id: the id 0 is hidden",
        Edit("ids != pad_id", "ids != 0"),
        ask=(
            "In another vocabulary padding has the id 3, and 0 is a word. What does your mask "
            "hide there?"
        ),
    ),
    Mistake(
        "causal_inverted",
        "True stands only where the future is",
        Edit("return np.tril(everything", "return ~np.tril(everything"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "diagonal_blocked",
        "no position sees itself, and the first one sees nothing at all",
        Edit("everything)", "everything, -1)"),
        ask="The first position has no past. What is its attention an average of?",
    ),
    Mistake(
        "past_hidden",
        "the past is hidden, and the future is not",
        Edit("np.tril(everything", "np.triu(everything"),
        ask="Which axis belongs to the position that looks? Read the row of the first query aloud.",
    ),
    Mistake(
        "one_too_far",
        "the future begins one position too late: the next word is taken for the past",
        Edit("everything)", "everything, 1)"),
        ask="Which word is position t to predict, and where does that word stand?",
    ),
    Mistake(
        "queries_padded",
        "queries that are padding see nothing: their rows hold no True",
        Edit("real = padding_mask(ids, pad_id)", "real = padding_mask(ids, pad_id).swapaxes(1, 2)"),
        ask=(
            "Along which axis of the scores lie the positions that are looked at, and along "
            "which those that look?"
        ),
    ),
    Mistake(
        "one_is_enough",
        "a look is allowed as soon as one of the two masks allows it",
        Edit("return real & past", "return real | past"),
        ask="A word of the future is no padding. May it be seen?",
    ),
    Mistake(
        "padding_seen",
        "padding is hidden only where it is in the future",
        Edit("    past = ", "    real = real | True\n    past = "),
        ask=(
            "Take the last query of a sentence that ends in two paddings. Which keys may it look "
            "at?"
        ),
    ),
    Mistake(
        "ids_above_padding",
        "only ids above pad_id count as words",
        Edit("ids != pad_id", "ids > pad_id"),
        ask=(
            "In another vocabulary padding has the id 3. What does your mask make of the words 1 "
            "and 2?"
        ),
    ),
    Mistake(
        "future_seen",
        "the future is seen: only padding is hidden",
        Edit(
            "past = causal_mask(ids.shape[1])", "past = np.ones((ids.shape[1], ids.shape[1]), bool)"
        ),
        ask="Take the first query. Which keys may it look at, and which does it look at?",
    ),
    Mistake(
        "target_inverted",
        "True stands only where a look is forbidden",
        Edit("return real & past", "return ~(real & past)"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "repeated_for_each_query",
        "the row of each sentence stands T times, once for each query, where one with an axis of "
        "length 1 is expected",
        Edit("return words[:, None, :]", "return np.repeat(words[:, None, :], ids.shape[1], 1)"),
        ask=(
            "On which of the three axes does padding not depend, and how long is that axis in "
            "the docstring?"
        ),
    ),
    Mistake(
        "padding_counted",
        "in each sentence as many keys are hidden at the end as there are padding ids, wherever "
        "these stand",
        Edit(
            "    return words[",
            "    lengths = words.sum(1)\n    words = np.arange(ids.shape[1]) < lengths[:, None]\n    return words[",
        ),
        ask="The padding of a sentence stands in front of its words. Which keys do you hide there?",
    ),
    Mistake(
        "hidden_after_padding",
        "what follows the first padding of a sentence is hidden, words too",
        Edit(
            "    return words[",
            "    words = np.minimum.accumulate(words, axis=1)\n    return words[",
        ),
        ask="The padding of a sentence stands in front of its words. Which keys do you hide there?",
    ),
    Mistake(
        "queries_padded_too",
        "queries that are padding see nothing: their rows hold no True, and padding is hidden from "
        "the other queries",
        Edit("    past = ", "    real = real & real.swapaxes(1, 2)\n    past = "),
        ask="What does the text say of queries that are padding themselves: what do they see?",
    ),
]
