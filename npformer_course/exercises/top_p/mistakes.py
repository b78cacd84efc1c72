"""What people write in place of the solution of top_p, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "stops_short",
        "{part}: these numbers come out when the token with which the sum reaches p is left out, "
        "unless it is the only one",
        Edit(
            "np.put_along_axis(mask, order, before < p, 1)",
            "np.put_along_axis(mask, order, (before + best_first <= p) | (before == 0), 1)",
        ),
        ask="Add up the probabilities of your nucleus. Does the sum reach p?",
    ),
    Mistake(
        "empty_nucleus",
        "where one token alone has more than p, the nucleus is empty; elsewhere the token that "
        "reaches p is left out",
        Edit("before < p, 1)", "before + best_first <= p, 1)"),
        ask="One token has the probability 0.95, and p is 0.9. Which tokens are in your nucleus?",
    ),
    Mistake(
        "one_too_many",
        "{part}: these numbers come out when one more token is kept after the sum has reached p",
        Edit("before < p, 1)", "np.insert(before, 0, 0, 1)[:, :-1] < p, 1)"),
        ask=(
            "Take your least probable token out of the nucleus. Does the sum of the others still "
            "reach p?"
        ),
    ),
    Mistake(
        "ids_of_ranks",
        "{part}: these numbers come out when the n tokens of the lowest ids are kept, and not the "
        "n most probable ones",
        Edit(
            "mask, order, before < p, 1)",
            "mask, np.argsort(order * 0, axis=1, kind='stable'), before < p, 1)",
        ),
        ask="After sorting, column 0 is the most probable token. Which id does it have?",
    ),
    Mistake(
        "least_probable_first",
        "{part}: these numbers come out when the sum begins with the least probable tokens",
        Edit("np.argsort(-probabilities, axis=1)", "np.argsort(probabilities, axis=1)"),
        ask="In which order does argsort sort, and which token should be the first in a nucleus?",
    ),
    Mistake(
        "order_not_undone",
        "{part}: these numbers come out when the permutation that sorts a row is applied where it "
        "must be undone",
        Edit(
            "np.put_along_axis(mask, order, before < p, 1)",
            "mask = np.take_along_axis(before < p, order, 1)",
        ),
        ask=(
            "order[i] is the id of the token of rank i. You have a value for each rank and need "
            "one for each id. Do you read at order, or write there?"
        ),
    ),
    Mistake(
        "each_token_alone",
        "{part}: these numbers come out when a token is kept if its own probability is at least 1 "
        "- p",
        Edit("before < p, 1)", "best_first >= 1 - p, 1)"),
        ask=(
            "A thousand tokens have the probability 0.001 each. How many are in the nucleus with "
            "p = 0.9?"
        ),
    ),
    Mistake(
        "not_renormalized",
        "the rows of the probabilities do not sum to 1: outside the nucleus they are 0, inside "
        "as they were",
        Edit("return top / top.sum(1, keepdims=True)", "return top"),
        ask=(
            "What is the sum of each of your rows, and what happens in draw_tokens if u is above "
            "it?"
        ),
    ),
    Mistake(
        "score_zero_outside",
        "{part}: these numbers come out when the tokens outside the nucleus enter a second softmax"
        " with the score 0",
        Edit(
            "top / top.sum(1, keepdims=True)", "softmax(np.where(top > 0, logits / temperature, 0))"
        ),
        ask="Which probability does softmax give to a score of 0?",
    ),
    Mistake(
        "softmax_of_probabilities",
        "{part}: these numbers come out when the softmax of the kept probabilities is taken, which"
        " flattens them",
        Edit(
            "return top / top.sum(1, keepdims=True)",
            "return softmax(np.where(top > 0, top, -np.inf))",
        ),
        ask=(
            "Of two tokens in the nucleus, one is three times as probable as the other. What are "
            "they after your last step?"
        ),
    ),
    Mistake(
        "temperature_unused",
        "{part}: these numbers come out with a temperature of 1, whatever is given",
        Edit("softmax(logits / temperature)", "softmax(logits)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "temperature_multiplied",
        "{part}: these numbers come out when the logits are multiplied by the temperature",
        Edit("softmax(logits / temperature)", "softmax(logits * temperature)"),
        ask=(
            "Should a temperature near 0 make the distribution flat, or put everything on one "
            "token?"
        ),
    ),
    Mistake(
        "temperature_after_the_nucleus",
        "{part}: these numbers come out when the nucleus is found first, with temperature 1, and "
        "the temperature is applied to the tokens that are kept",
        Edit("np.where(nucleus(probabilities, p)", "np.where(nucleus(softmax(logits), p)"),
        ask="Of which distribution is p a part: the one before or after the temperature?",
    ),
    Mistake(
        "most_probable_token",
        "the tokens do not depend on u: each is the most probable one of its row",
        Edit("(running <= u[:, None]).sum(1)", "probabilities.argmax(1)"),
        ask="How often does a token of probability 0.3 come out of your draw?",
    ),
    Mistake(
        "token_before",
        "{part}: these numbers come out when the token before the one on which u falls is drawn, "
        "or the first",
        Edit("(running <= u[:, None]).sum(1)", "np.maximum((running <= u[:, None]).sum(1) - 1, 0)"),
        ask="The running sums are 0.2, 0.7, 1, and u is 0.5. On which token does it fall?",
    ),
    Mistake(
        "zero_is_drawn",
        "with u = 0 the first token is drawn, although its probability is 0",
        Edit("running <= u[:, None]", "running < u[:, None]"),
        ask=(
            "A token of probability 0 has a piece of length 0 on the line. May any u in [0, 1) "
            "fall on it?"
        ),
    ),
    Mistake(
        "first_number_for_all",
        "{part}: these numbers come out when the first number of u serves all sentences",
        Edit("running <= u[:, None]", "running <= u[0]"),
        ask="Two sentences with equal probabilities and different u: may they get different tokens?",
    ),
    Mistake(
        "last_number_for_all",
        "{part}: these numbers come out when the last number of u serves all sentences",
        Edit("running <= u[:, None]", "running <= u[-1]"),
        ask="Two sentences with equal probabilities and different u: may they get different tokens?",
    ),
    Mistake(
        "ranks_drawn",
        "{part}: these numbers come out when the most probable tokens come first on the line, and "
        "a place in that order is taken for an id",
        Edit(
            "running = np.cumsum(probabilities, 1)",
            "running = np.cumsum(-np.sort(-probabilities, 1), 1)",
        ),
        ask="In which order do the tokens lie on the line, by the text?",
    ),
    Mistake(
        "most_probable_first",
        "{part}: these numbers come out when the tokens lie on the line by their probability, the "
        "most probable one first",
        Edit("np.cumsum(probabilities, 1)", "np.cumsum(-np.sort(-probabilities, 1), 1)"),
        Edit(
            "return (running <= u[:, None]).sum(1)",
            "rank = (running <= u[:, None]).sum(1)\n"
            "    return np.take_along_axis(np.argsort(-probabilities, 1), rank[:, None], 1)[:, 0]",
        ),
        ask="In which order do the tokens lie on the line, by the text?",
    ),
    Mistake(
        "each_token_with_p",
        "{part}: these numbers come out when a token is kept if its own probability is at least p",
        Edit("before < p, 1)", "best_first >= p, 1)"),
        ask=(
            "A thousand tokens have the probability 0.001 each. How many are in the nucleus with "
            "p = 0.9?"
        ),
    ),
    Mistake(
        "added_by_ids",
        "{part}: these numbers come out when the probabilities are added up in the order of the "
        "ids, not the largest first",
        Edit(
            "np.argsort(-probabilities, axis=1)",
            "np.argsort(0 * probabilities, axis=1, kind='stable')",
        ),
        ask="Which token does your sum begin with, and is it the most probable one?",
    ),
    Mistake(
        "complement",
        "{part}: these numbers come out when the tokens outside the nucleus are kept, and those in"
        " it are not",
        Edit("before < p, 1)", "before >= p, 1)"),
        ask="Is the most probable token in your nucleus?",
    ),
    Mistake(
        "nucleus_of_logits",
        "{part}: these numbers come out when the nucleus is that of the logits, and not of the "
        "probabilities",
        Edit("nucleus(probabilities, p), probabilities", "nucleus(logits, p), probabilities"),
        ask="What do the rows that nucleus is given have to sum to?",
    ),
    Mistake(
        "temperature_after_softmax",
        "{part}: these numbers come out when the probabilities are divided by the temperature, and"
        " not the logits",
        Edit("softmax(logits / temperature)", "softmax(logits) / temperature"),
        ask="Which of two tokens gains when all probabilities are divided by the same number?",
    ),
    Mistake(
        "softmax_of_all",
        "{part}: these numbers come out when the softmax is taken of probabilities that are 0 "
        "outside the nucleus",
        Edit("return top / top.sum(1, keepdims=True)", "return softmax(top)"),
        ask="What is the exponential of 0, and what should a token outside the nucleus have?",
    ),
    Mistake(
        "divided_by_p",
        "{part}: these numbers come out when the kept probabilities are divided by p",
        Edit("return top / top.sum(1, keepdims=True)", "return top / p"),
        ask="Does the probability of a nucleus come to p exactly?",
    ),
    Mistake(
        "one_sum_for_all",
        "{part}: these numbers come out when the kept probabilities are divided by the sum of all "
        "sentences together",
        Edit("return top / top.sum(1, keepdims=True)", "return top / top.sum()"),
        ask="What is the sum of each of your rows?",
    ),
    Mistake(
        "token_after",
        "{part}: these numbers come out when the token after the one on which u falls is drawn",
        Edit("(running <= u[:, None]).sum(1)", "(running <= u[:, None]).sum(1) + 1"),
        ask=(
            "The running sums are 0.2, 0.7, 1, and u is 0.1. On which token does it fall, and "
            "which number has it?"
        ),
    ),
    Mistake(
        "own_probability_above_u",
        "{part}: these numbers come out when the first token is drawn whose own probability is "
        "above u",
        Edit(
            "running = np.cumsum(probabilities, 1)",
            "running = np.maximum.accumulate(probabilities, 1)",
        ),
        Edit("(running <= u[:, None]).sum(1)", "(running > u[:, None]).argmax(1)"),
        ask=(
            "Two tokens have the probability 0.5 each, and u is 0.7. On which of the two does it "
            "fall?"
        ),
    ),
]
