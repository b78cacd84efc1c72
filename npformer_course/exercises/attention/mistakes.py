"""What people write in place of the solution of attention, and what to say of it."""

from npformer_course.definition import Edit, Mistake

ROOT = "math.sqrt(q.shape[-1])"

MISTAKES = [
    Mistake(
        "not_scaled",
        "{part} is what comes out when the scores are not divided by anything",
        Edit(f" / {ROOT}", ""),
        ask=(
            "A score is a sum of d_k products. How far apart are typical scores as d_k grows, and "
            "what does softmax make of scores that far apart?"
        ),
    ),
    Mistake(
        "divided_by_d_k",
        "{part} is what comes out when the scores are divided by d_k itself",
        Edit(ROOT, "q.shape[-1]"),
        ask="The variance of a dot product is d_k. What is its standard deviation?",
    ),
    Mistake(
        "multiplied_by_root",
        "{part} is what comes out when the scores are multiplied by the root of d_k",
        Edit(f"/ {ROOT}", f"* {ROOT}"),
        ask=(
            "Should wider keys make the scores larger, or should their spread stay the same at "
            "every width?"
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
        Edit(ROOT, "math.sqrt(k.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    # of two axes len(k) is the number of keys, which is the mistake above
    Mistake(
        "root_of_len_of_k",
        "{part} is what comes out when the scores are divided by the root of len(k), the size of "
        "its first axis",
        Edit(ROOT, "math.sqrt(len(k) if k.ndim > 2 else q.shape[-1])"),
        ask=(
            "Which axis does len count? And over which letter does the dot product of a query and "
            "a key add up?"
        ),
    ),
    Mistake(
        "scaled_after_softmax",
        "{part} is what comes out when the weights are divided by the root of d_k, so that a row "
        "no longer sums to 1",
        Edit(f" / {ROOT}", ""),
        Edit("softmax(scores)\n", f"softmax(scores) / {ROOT}\n"),
        ask="In equation 1, does the root stand inside the softmax or outside?",
    ),
    Mistake(
        "softmax_over_queries",
        "{part} is what comes out when the weights of a key sum to 1 over the queries",
        Edit("softmax(scores)\n", "softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)\n"),
        ask="Who has one whole attention to give away: the one who asks, or the one who is asked?",
    ),
    Mistake(
        "softmax_missing",
        "the scores themselves are taken for the weights, without softmax",
        Edit("softmax(scores)\n", "scores\n"),
        ask="What should a row of the weights sum to, and may one of them be below 0?",
    ),
    Mistake(
        "softmax_twice",
        "{part} is what comes out when the weights go through softmax once more",
        Edit("softmax(scores)\n", "softmax(softmax(scores))\n"),
        ask="How many softmaxes has equation 1 on the way from a score to its weight?",
    ),
    Mistake(
        "root_of_d_v",
        "{part} is what comes out when the scores are divided by the root of d_v, the width of "
        "the values",
        Edit(ROOT, "math.sqrt(v.shape[-1])"),
        ask="Are the values a part of a score?",
    ),
    Mistake(
        "root_of_queries",
        "{part} is what comes out when the scores are divided by the root of T, the number of "
        "queries",
        Edit(ROOT, "math.sqrt(q.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "scores_returned",
        "{part} is the scores, before softmax",
        Edit("@ v, weights", "@ v, scores"),
        ask="What should a row of the weights sum to, and what does yours?",
    ),
    Mistake(
        "keys_averaged",
        "{part} is an average of the keys",
        Edit("return weights @ v", "return weights @ k"),
        ask="What does a word have to say: its key or its value?",
    ),
]
