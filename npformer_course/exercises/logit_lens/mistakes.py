"""What people write in place of the solution of logit_lens, and what to say of it."""

from npformer_course.definition import Edit, Mistake

NORM = "y, _, _ = layer_norm(states, gain, bias, eps)"
LOGITS = "return y @ table.T"
OF_RIGHT = "of_right = logits[:, np.arange(len(right)), right]"
LARGER = "larger = logits > of_right[..., None]"
COUNT = "return larger.sum(-1)"

MISTAKES = [
    Mistake(
        "no_norm",
        "{part} are what the output table makes of the states as they are, without the final norm",
        Edit(NORM, "y = states"),
        ask="What does the model do to its last state before it multiplies with the table?",
    ),
    Mistake(
        "without_gain_and_bias",
        "{part} are those of states that are normalized, but neither scaled nor shifted",
        Edit(NORM, "_, y, _ = layer_norm(states, gain, bias, eps)"),
        ask="Which of the three results of layer_norm is the normalized state with gain and bias?",
    ),
    Mistake(
        "bias_missing",
        "{part} are what comes out without the bias of the norm",
        Edit(NORM, "y, _, _ = layer_norm(states, gain, 0 * bias, eps)"),
        ask="Which argument have you not used?",
    ),
    Mistake(
        "last_state_only_normalized",
        "{part} are right at the last state, and at all others the norm is missing",
        Edit(
            NORM,
            "y = states.copy()\n    y[-1:] = layer_norm(states[-1:], gain, bias, eps)[0]",
        ),
        ask="At which of the states should the model be asked to answer now?",
    ),
    Mistake(
        "norm_twice",
        "{part} are those of states that were normalized twice",
        Edit(
            NORM,
            f"{NORM}\n    y, _, _ = layer_norm(y, gain, bias, eps)",
        ),
        ask="How often is the final norm applied in the model?",
    ),
    Mistake(
        "over_positions",
        "{part} are those of states that were normalized over the positions",
        Edit(
            NORM,
            "mean = states.mean(1, keepdims=True)\n"
            "    var = states.var(1, keepdims=True)\n"
            "    y = gain * (states - mean) / np.sqrt(var + eps) + bias",
        ),
        ask="May the logits at a position change if another position changes?",
    ),
    Mistake(
        "sums_of_states",
        "{part} are those of sums: to each state all earlier ones are added",
        Edit(NORM, "y, _, _ = layer_norm(states.cumsum(0), gain, bias, eps)"),
        ask="Is a state what its layer has added, or what comes out of it?",
    ),
    Mistake(
        "softmax",
        "{part} are probabilities: their softmax is taken",
        Edit(
            LOGITS,
            "z = y @ table.T\n"
            "    powers = np.exp(z - z.max(-1, keepdims=True))\n"
            "    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="Are the numbers of the formula before the softmax or after it?",
    ),
    Mistake(
        "only_the_last_state",
        "{part} are at every state what belongs to the last one",
        Edit(LOGITS, "return np.broadcast_to(y[-1] @ table.T, (*y.shape[:2], len(table)))"),
        ask="Do two states of your result differ?",
    ),
    Mistake(
        "counted_from_1",
        "{part} are 1 larger: the right token counts itself",
        Edit(LARGER, "larger = logits >= of_right[..., None]"),
        ask="Which rank has a token with the largest logit of all?",
    ),
    Mistake(
        "from_below",
        "{part} are how many tokens have a smaller logit",
        Edit(LARGER, "larger = logits < of_right[..., None]"),
        ask="Should a model that knows the answer have rank 0 or V - 1?",
    ),
    Mistake(
        "order_taken_for_rank",
        "{part} are ids: the token that is at a place of the order, and not the place of a token",
        Edit(
            OF_RIGHT,
            "order = np.argsort(-logits, axis=-1)\n"
            "    return order[:, np.arange(len(right)), right]",
        ),
        ask="What does argsort return: for each token its place, or for each place its token?",
    ),
    Mistake(
        "best_tokens",
        "{part} are the ids of the tokens with the largest logit",
        Edit(COUNT, "return logits.argmax(-1)"),
        ask="Where does the right token enter your result?",
    ),
    Mistake(
        "whether_it_is_best",
        "{part} are 1 where the right token has the largest logit and 0 elsewhere",
        Edit(COUNT, "return 1 - larger.any(-1)"),
        ask="The right token is third. What should its rank be?",
    ),
    Mistake(
        "share_of_tokens",
        "{part} are divided by the number of tokens",
        Edit(COUNT, "return larger.mean(-1)"),
        ask="Should a rank be a share or a count?",
    ),
    Mistake(
        "token_of_the_first_position",
        "{part} are at every position those of the first position's right token",
        Edit(OF_RIGHT, "of_right = logits[:, :, right[0]]"),
        ask="Do all positions have the same right token?",
    ),
]
