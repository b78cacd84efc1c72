"""What people write in place of the solution of attention_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "scale_missing",
        "{part} is what comes out when the gradient of the scores is not divided by the root of "
        "d_k on its way back",
        Edit("1 / math.sqrt(q.shape[-1])", "1"),
        ask="If q moves by h, does the score move by h times k, or by less?",
    ),
    Mistake(
        "scale_twice",
        "{part} is what comes out when the gradient of the scores is divided by d_k on its way "
        "back",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / q.shape[-1]"),
        ask=(
            "How often is a score divided by the root going forward, and how often is its "
            "gradient going back?"
        ),
    ),
    Mistake(
        "root_of_the_values",
        "{part} is what comes out when the gradient of the scores is divided by the root of d_v, "
        "the width of v",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / math.sqrt(v.shape[-1])"),
        ask="How many products are added up in one score?",
    ),
    Mistake(
        "root_of_the_keys",
        "{part} is what comes out when the gradient of the scores is divided by the root of S, "
        "the number of keys",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / math.sqrt(k.shape[-2])"),
        ask="How many products are added up in one score?",
    ),
    Mistake(
        "diagonal_only",
        "{part} is what comes out when a score moves no weight but its own",
        Edit("weights * (dweights - along_row)", "weights * (1 - weights) * dweights"),
        ask=(
            "One score of a row rises, and its weight with it. What do the other weights of the "
            "row do?"
        ),
    ),
    Mistake(
        "softmax_skipped",
        "{part} is what comes out when the gradient of the weights is taken for the gradient of "
        "the scores",
        Edit("dscores = weights * (dweights - along_row)", "dscores = dweights"),
        ask=(
            "What lies between the scores and the weights, and what should dq of a row be whose "
            "weights are all 0?"
        ),
    ),
    Mistake(
        "row_sum_missing",
        "{part} is what comes out when nothing is taken off in the gradient of the scores, so "
        "that its rows do not sum to 0",
        Edit("(dweights - along_row)", "dweights"),
        ask=(
            "Add one number to all scores of a row, and no weight moves. What must the gradients "
            "of the row add up to?"
        ),
    ),
    Mistake(
        "sum_over_queries",
        "{part} is what comes out when the sum in the gradient of the scores runs over the queries",
        Edit(
            "(weights * dweights).sum(-1, keepdims=True)",
            "(weights * dweights).sum(-2, keepdims=True)",
        ),
        ask="Which weights share a total of 1: those of a query, or those of a key?",
    ),
    Mistake(
        "reshaped_not_turned",
        "{part} holds the right numbers in the wrong places: a matrix (d, S) was reshaped to (S, "
        "d)",
        Edit(
            "dk = dscores.swapaxes(-1, -2) @ q * scale",
            "dk = (q.swapaxes(-1, -2) @ dscores).reshape(k.shape) * scale",
        ),
        Edit(
            "dv = weights.swapaxes(-1, -2) @ dy",
            "dv = (dy.swapaxes(-1, -2) @ weights).reshape(v.shape)",
        ),
        ask=(
            "Write a matrix of 2 rows and 3 columns on paper, reshape it to (3, 2), and turn it. "
            "Are they the same?"
        ),
    ),
    Mistake(
        "weights_reshaped",
        "{part} is what comes out when a matrix (T, S) is reshaped to (S, T) before the product",
        Edit(
            "dk = dscores.swapaxes(-1, -2) @ q * scale",
            "turned = *dscores.shape[:-2], dscores.shape[-1], dscores.shape[-2]\n"
            "    dk = dscores.reshape(turned) @ q * scale",
        ),
        Edit(
            "dv = weights.swapaxes(-1, -2) @ dy",
            "dv = weights.reshape(*weights.shape[:-2], weights.shape[-1], weights.shape[-2]) @ dy",
        ),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "values_reshaped",
        "{part} is what comes out when v (S, d_v) is reshaped to (d_v, S) on the way back to the "
        "weights",
        Edit("dy @ v.swapaxes(-1, -2)", "dy @ v.reshape(*v.shape[:-2], v.shape[-1], v.shape[-2])"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "dk_from_weights",
        "dk is made of the weights, where the gradient of the scores belongs",
        Edit("dk = dscores.swapaxes", "dk = weights.swapaxes"),
        ask="Set dy to 0, so that nothing comes back. What is your dk?",
    ),
    Mistake(
        "values_first",
        "the gradients came in the order dv, dq, dk",
        Edit("return dq, dk, dv", "return dv, dq, dk"),
        ask="In which order does the docstring name the results?",
    ),
    Mistake(
        "dv_from_gradient_of_scores",
        "dv is made of the gradient of the scores",
        Edit(
            "    return dq, dk, dv",
            "    dv = dscores.swapaxes(-1, -2) @ dy\n    return dq, dk, dv",
        ),
        ask="What did forward multiply the values by?",
    ),
    Mistake(
        "dv_from_gradient_of_weights",
        "dv is made of the gradient of the weights",
        Edit(
            "    return dq, dk, dv",
            "    dv = dweights.swapaxes(-1, -2) @ dy\n    return dq, dk, dv",
        ),
        ask="What did forward multiply the values by?",
    ),
    Mistake(
        "sum_without_weights",
        "{part} is what comes out when the gradients of the weights are summed over the row as "
        "they are",
        Edit("(weights * dweights).sum(-1", "dweights.sum(-1"),
        ask="Which factors under the sum over s' carry that index?",
    ),
    Mistake(
        "weight_missing",
        "{part} is what comes out when the gradient of a score is not multiplied by its weight",
        Edit("dscores = weights * (dweights - along_row)", "dscores = dweights - along_row"),
        ask=(
            "A key that the mask hides has the weight 0. What should its score's gradient be, and"
            " what is yours?"
        ),
    ),
    Mistake(
        "made_of_the_weights",
        "{part} is made of the weights, where the gradient of the scores belongs",
        Edit("dq = dscores @ k * scale", "dq = weights @ k"),
        Edit("dk = dscores.swapaxes(-1, -2) @ q * scale", "dk = weights.swapaxes(-1, -2) @ q"),
        ask="Set dy to 0, so that nothing comes back. What is your {part}?",
    ),
    Mistake(
        "weight_missing_in_the_sum",
        "{part} is what comes out when the sum over the row is taken off all its scores alike, "
        "whatever their weights",
        Edit("weights * (dweights - along_row)", "weights * dweights - along_row"),
        ask=(
            "A key that the mask hides has the weight 0. What should its score's gradient be, and"
            " what is yours?"
        ),
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "{part} is what comes out when the gradient of a weight goes on to its score whole, "
        "however small the weight",
        Edit("weights * (dweights - along_row)", "dweights - weights * along_row"),
        ask=(
            "A key that the mask hides has the weight 0. What should its score's gradient be, and"
            " what is yours?"
        ),
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "{part} is what comes out when the sum over the row is multiplied by the weight twice",
        Edit("weights * (dweights - along_row)", "weights * (dweights - weights * along_row)"),
        ask="How often does w_s stand in front of the sum in the formula?",
    ),
    Mistake(
        "softmax_again",
        "{part} is what comes out when the weights are put through softmax once more, as if they "
        "were scores",
        Edit(
            "along_row = (",
            "weights = np.exp(weights) / np.exp(weights).sum(-1, keepdims=True)\n    along_row = (",
        ),
        ask="What does the docstring say that the weights are, and what do their rows add up to?",
    ),
    Mistake(
        "own_weight_for_every_weight",
        "{part} is what comes out when the score's own weight stands twice in front of the plain "
        "sum of the gradients of the row's weights",
        Edit(
            "weights * (dweights - along_row)",
            "weights * dweights - weights**2 * dweights.sum(-1, keepdims=True)",
        ),
        ask="Which factors under the sum over s' carry that index?",
    ),
    Mistake(
        "last_query",
        "{part} holds what the last query contributes, and nothing of the others",
        Edit(
            "dk = dscores.swapaxes(-1, -2) @ q * scale",
            "dk = dscores[:, :, -1:].swapaxes(-1, -2) @ q[:, :, -1:] * scale",
        ),
        Edit(
            "dv = weights.swapaxes(-1, -2) @ dy",
            "dv = weights[:, :, -1:].swapaxes(-1, -2) @ dy[:, :, -1:]",
        ),
        ask=(
            "Every query looks at this key. When your code comes to the second query, what becomes "
            "of what the first one left?"
        ),
    ),
]
