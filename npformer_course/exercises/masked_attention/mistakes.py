"""What people write in place of the solution of masked_attention, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "not_scaled",
        "{part} is what comes out when the scores are not divided by anything",
        Edit(" / math.sqrt(q.shape[-1])", ""),
        ask=(
            "A score is a sum of d_k products. How far apart are typical scores as d_k grows, and "
            "what does softmax make of scores that far apart?"
        ),
    ),
    Mistake(
        "divided_by_d_k",
        "{part} is what comes out when the scores are divided by d_k itself",
        Edit("math.sqrt(q.shape[-1])", "q.shape[-1]"),
        ask="The variance of a dot product is d_k. What is its standard deviation?",
    ),
    Mistake(
        "multiplied_by_root",
        "{part} is what comes out when the scores are multiplied by the root of d_k",
        Edit("/ math.sqrt(q.shape[-1])", "* math.sqrt(q.shape[-1])"),
        ask=(
            "Should wider keys make the scores larger, or should their spread stay the same at "
            "every width?"
        ),
    ),
    Mistake(
        "root_of_d_model",
        "{part} is what comes out when the scores are divided by the root of H * d_k, the width "
        "of the whole model",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[1] * q.shape[-1])"),
        ask=(
            "How many products are added up in the dot product of one query with one key of one "
            "head?"
        ),
    ),
    Mistake(
        "keys_reshaped",
        "{part} is what comes out when k is reshaped to (d_k, S): its numbers stay in the order "
        "in which they were",
        Edit("q @ k.swapaxes(-1, -2)", "q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "root_of_length",
        "{part} is what comes out when the scores are divided by the root of S, the number of keys",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(k.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "scaled_after_softmax",
        "{part} is what comes out when the weights are divided by the root of d_k, so that a row "
        "no longer sums to 1",
        Edit(" / math.sqrt(q.shape[-1])", ""),
        Edit(
            "masked_softmax(scores, mask)", "masked_softmax(scores, mask) / math.sqrt(q.shape[-1])"
        ),
        ask="In equation 1, does the root stand inside the softmax or outside?",
    ),
    Mistake(
        "softmax_over_queries",
        "{part} is what comes out when the weights of a key sum to 1 over the queries",
        Edit(
            "masked_softmax(scores, mask)",
            "masked_softmax(scores.swapaxes(2, 3), mask.swapaxes(2, 3)).swapaxes(2, 3)",
        ),
        ask="Who has one whole attention to give away: the one who asks, or the one who is asked?",
    ),
    Mistake(
        "mask_forgotten",
        "{part} does not depend on the mask",
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores, np.ones_like(mask))"),
        ask="Print the weights at a place where the mask is False. What should stand there?",
    ),
    Mistake(
        "mask_after_softmax",
        "{part} is what comes out when the mask acts on finished weights, so that those of a "
        "query that may not look everywhere do not sum to 1",
        Edit("masked_softmax(scores, mask)", "mask * masked_softmax(scores, np.ones_like(mask))"),
        ask="When a key is hidden, what happens to the attention that it would have had?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when a query looks where the mask is False, and nowhere else",
        Edit("    weights = masked", "    mask = np.logical_not(mask)\n    weights = masked"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "root_of_d_v",
        "{part} is what comes out when the scores are divided by the root of d_v, the width of "
        "the values",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(v.shape[-1])"),
        ask="Are the values a part of a score?",
    ),
    Mistake(
        "root_of_queries",
        "{part} is what comes out when the scores are divided by the root of T, the number of "
        "queries",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "hidden_score_zero",
        "{part} is what comes out when a hidden place has the weight of a place whose score is 0",
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores * mask, np.ones_like(mask))"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "scores_returned",
        "weights is the scores, before softmax",
        Edit("@ v, weights", "@ v, scores"),
        ask="What should a row of the weights sum to, and what does yours?",
    ),
    Mistake(
        "keys_averaged",
        "y is an average of the keys",
        Edit("return weights @ v", "return weights @ k"),
        ask="What does a word have to say: its key or its value?",
    ),
    Mistake(
        "weights_averaged",
        "weights is a mean over the heads",
        Edit("@ v, weights", "@ v, weights.mean(1)"),
        ask=(
            "Each head looks at places of its own. Can one still see in your weights which head "
            "looks where?"
        ),
    ),
    Mistake(
        "root_of_heads",
        "{part} is what comes out when the scores are divided by the root of H, the number of "
        "heads",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[1])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "empty_row_nan",
        "{part} has NaN where a query may attend to nothing, and is right elsewhere",
        Edit(
            "weights = masked_softmax(scores, mask)",
            "powers = np.exp(scores) * mask\n    weights = powers / powers.sum(-1, keepdims=True)",
        ),
        ask=(
            "Follow such a query through your lines: its powers, their total. Where is the first "
            "NaN?"
        ),
    ),
    Mistake(
        "mask_tiled",
        "the masks of all sentences follow one another, and then again, H times",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.tile(mask, (n_heads, 1, 1))"),
        ask="With 2 sentences and 3 heads, whose mask should entry 1 of the result be?",
    ),
    Mistake(
        "mask_repeated_by_row",
        "inside a sentence, the row of each query stands H times in succession",
        Edit(
            "np.repeat(mask, n_heads, axis=0)",
            "np.repeat(mask, n_heads, axis=1).reshape(-1, *mask.shape[1:])",
        ),
        ask="Is a row repeated in your code, or the whole mask of a sentence?",
    ),
    Mistake(
        "mask_repeated_by_entry",
        "each single entry of the mask stands H times in a row, across the keys",
        Edit(
            "np.repeat(mask, n_heads, axis=0)",
            "np.repeat(mask, n_heads).reshape(-1, *mask.shape[1:])",
        ),
        ask="Which axis is to become H times as long, and what do your numbers repeat along?",
    ),
    Mistake(
        "mask_inverted",
        "True and False have changed places",
        Edit("    return np.", "    mask = ~mask\n    return np."),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "first_mask_for_all",
        "all heads of all sentences have the mask of the first sentence",
        Edit(
            "np.repeat(mask, n_heads, axis=0)", "np.repeat(mask[:1], len(mask) * n_heads, axis=0)"
        ),
        ask="Whose mask should the last entry of the result be?",
    ),
    Mistake(
        "queries_repeated",
        "the row of each query stands H times, one below the other, within its sentence",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.repeat(mask, n_heads, axis=1)"),
        ask="Which axis is to become H times as long?",
    ),
    Mistake(
        "mask_unchanged",
        "what comes back is the mask as it was, with one entry for each sentence",
        Edit("return np.repeat(mask, n_heads, axis=0)", "return mask"),
        ask="How many heads do all sentences have together, and how many masks do you return?",
    ),
    Mistake(
        "mask_all_true",
        "nothing is hidden: all entries are True",
        Edit("    return np.", "    mask = mask | True\n    return np."),
        ask="Which numbers of the mask have gone into your result?",
    ),
]
