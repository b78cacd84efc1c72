"""What people write in place of the solution of head_scores, and what to say of it."""

from npformer_course.definition import Edit, Mistake

DIAGONAL = "before = np.diagonal(weights, -1, axis1=1, axis2=2)"
MEAN = "return before.mean(-1)"
FOUND = "found.append(weights[:, t, earlier[-1] + 1])"
MEAN_OF_FOUND = "return np.mean(found, axis=0)"

MISTAKES = [
    Mistake(
        "itself",
        "{part} are the mean weights that tokens give to themselves",
        Edit(DIAGONAL, "before = np.diagonal(weights, 0, axis1=1, axis2=2)"),
        ask="At which column does row 3 look at the token before it?",
    ),
    Mistake(
        "token_after",
        "{part} are the mean weights that tokens give to the one after them",
        Edit(DIAGONAL, "before = np.diagonal(weights, 1, axis1=1, axis2=2)"),
        ask="Which axis is the one that looks, the rows or the columns?",
    ),
    Mistake(
        "last_taken_for_one_before_the_first",
        "{part} also count the weight from the first position to the last one",
        Edit(
            DIAGONAL,
            "T = weights.shape[1]\n    before = weights[:, np.arange(T), np.arange(T) - 1]",
        ),
        ask="Which token comes before the first, and what does the index -1 mean in NumPy?",
    ),
    Mistake(
        "divided_by_T",
        "{part} are the sums of T - 1 weights, divided by T",
        Edit(MEAN, "return before.sum(-1) / weights.shape[1]"),
        ask="How many positions have one before them?",
    ),
    Mistake(
        "sum_of_previous",
        "{part} are sums over the positions, not divided by anything",
        Edit(MEAN, "return before.sum(-1)"),
        ask="Can a mean of weights be above 1?",
    ),
    Mistake(
        "largest_of_previous",
        "{part} are the largest of these weights, and not their mean",
        Edit(MEAN, "return before.max(-1)"),
        ask="A head looks back once, with all its weight, and never again. What is its score?",
    ),
    Mistake(
        "share_of_positions",
        "{part} count the positions that look at the token before more than at any other",
        Edit(
            DIAGONAL,
            "before = weights.argmax(-1)[:, 1:] == np.arange(weights.shape[1] - 1)",
        ),
        ask="A head gives 0.4 of its weight to the token before, everywhere. What is its score?",
    ),
    Mistake(
        "heads_together",
        "{part} are a mean over the heads as well",
        Edit(MEAN, "return before.mean()"),
        ask="How many numbers should four heads have?",
    ),
    Mistake(
        "occurrence_itself",
        "{part} are the mean weights of the previous occurrence itself, and not of what followed it",
        Edit(FOUND, "found.append(weights[:, t, earlier[-1]])"),
        ask="Which token says what comes next: an equal one, or its neighbor?",
    ),
    Mistake(
        "token_before_the_occurrence",
        "{part} are the mean weights of the token before the previous occurrence",
        Edit(FOUND, "found.append(weights[:, t, earlier[-1] - 1])"),
        ask="On which side of the last 'off' is the word that followed it?",
    ),
    Mistake(
        "first_occurrence",
        "{part} take what followed the first occurrence, not the previous one",
        Edit(FOUND, "found.append(weights[:, t, earlier[0] + 1])"),
        ask="A token has occurred twice. Which of the two is the last one before t?",
    ),
    Mistake(
        "all_occurrences",
        "{part} add up the weights of what followed any earlier occurrence",
        Edit(FOUND, "found.append(weights[:, t, earlier + 1].sum(-1))"),
        ask="A token has occurred twice. How many weights of its row count by the formula?",
    ),
    Mistake(
        "rows_and_columns_exchanged",
        "{part} take the weights from what followed the previous occurrence to t",
        Edit(FOUND, "found.append(weights[:, earlier[-1] + 1, t])"),
        ask="Who looks at whom: the later token at the earlier one, or the reverse?",
    ),
    Mistake(
        "mean_over_all_positions",
        "{part} are sums divided by T, also counting the positions whose token is new",
        Edit(MEAN_OF_FOUND, "return np.sum(found, axis=0) / len(ids)"),
        ask="A new token has nothing to look up. Should it lower the score?",
    ),
    Mistake(
        "sum_of_induction",
        "{part} are sums over the positions, and not means",
        Edit(MEAN_OF_FOUND, "return np.sum(found, axis=0)"),
        ask="What is the largest score that a head can have, and can yours be larger?",
    ),
    Mistake(
        "last_position_only",
        "{part} are the weights at the last position, and not a mean over all that count",
        Edit(MEAN_OF_FOUND, "return found[-1]"),
        ask="How many positions of the text read a token that has occurred before?",
    ),
]
