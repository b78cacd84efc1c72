"""What people write in place of the solution of rotary, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "start_unused",
        "{part} is what comes out when the first position of every array has the number 0",
        Edit("np.arange(start, start + N)", "np.arange(N)"),
        ask=(
            "Which number has the position of the first row: in x, and among the queries if "
            "there are more keys?"
        ),
    ),
    Mistake(
        "position_off_by_one",
        "{part} is what comes out when positions are counted from start + 1 on",
        Edit("np.arange(start, start + N)", "np.arange(start + 1, start + N + 1)"),
        ask="By which angle is position 0 turned?",
    ),
    Mistake(
        "halves_paired",
        "{part} is what comes out when feature i and feature i + K / 2 are a pair",
        Edit("first = x[..., 0::2]", "first = x[..., : K // 2]"),
        Edit("second = x[..., 1::2]", "second = x[..., K // 2 :]"),
        Edit("y[..., 0::2] = first", "y[..., : K // 2] = first"),
        Edit("y[..., 1::2] = first", "y[..., K // 2 :] = first"),
        Edit(
            "np.tile([1.0, -1.0], dy.shape[-1] // 2)", "np.repeat([1.0, -1.0], dy.shape[-1] // 2)"
        ),
        ask="Which two features does the formula for i = 0 put together?",
    ),
    Mistake(
        "turned_the_other_way",
        "{part} is what comes out when each position is turned by -a in place of a",
        Edit("first * cos - second * sin", "first * cos + second * sin"),
        Edit("first * sin + second * cos", "second * cos - first * sin"),
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask=(
            "Take the pair (1, 0) and a small a. Should the second feature get positive or "
            "negative?"
        ),
    ),
    Mistake(
        "first_overwritten",
        "{part} is what comes out when the new first feature of a pair is used to compute the "
        "second",
        Edit("y[..., 1::2] = first * sin", "y[..., 1::2] = y[..., 0::2] * sin"),
        ask="When your second line runs, does it read x as it came in?",
    ),
    Mistake(
        "rates_of_i",
        "{part} is what comes out when the exponent is i / K in place of 2 i / K",
        Edit("np.arange(0, K, 2) / K", "np.arange(K // 2) / K"),
        ask="With K = 4 there are two pairs. What is the exponent of the second one?",
    ),
    Mistake(
        "one_rate_for_all",
        "{part} is what comes out when all pairs of a position are turned by the same angle",
        Edit("10000 ** (np.arange(0, K, 2) / K)", "10000 ** (np.zeros(K // 2))"),
        ask="Which pair turns fastest, and which slowest?",
    ),
    Mistake(
        "heads_for_positions",
        "{part} is what comes out when the angle grows with the number of the head, not with "
        "that of the position",
        Edit(
            "np.arange(start, start + N)[:, None] /",
            "np.arange(start, start + x.shape[1])[:, None, None] /",
        ),
        ask=(
            "Which axis of x (B, H, N, K) counts positions, and along which one does your angle "
            "change?"
        ),
    ),
    Mistake(
        "table_added",
        "{part} is what comes out when the sines and cosines are added, as in the paper, and "
        "nothing is turned",
        Edit("first * cos - second * sin", "first + sin"),
        Edit("first * sin + second * cos", "second + cos"),
        ask="Does the length of a pair change in a rotation? Compare that of x with yours.",
    ),
    Mistake(
        "backward_turns_on",
        "{part} is what comes out when backward turns in the same direction as forward",
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask="A product y = R x has dx = R^T dy. What does the transpose of a rotation do?",
    ),
    Mistake(
        "keys_not_turned",
        "{part} is what comes out when the queries are turned and the keys are not",
        Edit("turned_k = rotate(k, 0)", "turned_k = k"),
        ask="Move query and key by the same number of positions. Does your score stay?",
    ),
    Mistake(
        "not_scaled",
        "{part} is sqrt(K) times what it should be",
        Edit("turned_k.swapaxes(2, 3) / math.sqrt(K)", "turned_k.swapaxes(2, 3)"),
        Edit("dscores / math.sqrt(q.shape[3])", "dscores"),
        ask="What does 'scaled' in scaled dot-product attention mean?",
    ),
    Mistake(
        "gradients_not_turned_back",
        "{part} is the gradient of what was turned, not of what came in",
        Edit(
            "dq = rotate_backward(dproducts @ rotate(k, 0), start)", "dq = dproducts @ rotate(k, 0)"
        ),
        Edit(
            "dk = rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)",
            "dk = dproducts.swapaxes(2, 3) @ rotate(q, start) + 0.0",
        ),
        ask="What did forward do with q before the product, and so what must backward do after it?",
    ),
    Mistake(
        "factors_not_turned",
        "{part} is what comes out when the other factor of the product is taken as it came in, "
        "not turned",
        Edit("dproducts @ rotate(k, 0)", "dproducts @ k"),
        Edit("dproducts.swapaxes(2, 3) @ rotate(q, start)", "dproducts.swapaxes(2, 3) @ q"),
        ask="By which array did forward multiply the turned query?",
    ),
    Mistake(
        "sine_and_cosine_exchanged",
        "{part} is what comes out when the sine is taken for the cosine, and the cosine for the "
        "sine",
        Edit("sin = np.sin(angles)", "sin = np.cos(angles)"),
        Edit("cos = np.cos(angles)", "cos = np.sin(angles)"),
        # else the scores are those of turned_the_other_way
        Edit(
            "    T = q.shape[2]\n",
            "    flip = np.tile([1.0, -1.0], k.shape[3] // 2)\n"
            "    q = q * flip\n    k = k * flip\n    T = q.shape[2]\n",
        ),
        ask="What should become of position 0, whose angle is 0?",
    ),
    Mistake(
        "two_minuses",
        "{part} is what comes out when both features of a pair have a minus",
        Edit("first * sin + second * cos", "first * sin - second * cos"),
        Edit("return flip * rotate(flip * dy, start)", "return flip * rotate(dy, start)"),
        ask="With an angle of 0, what becomes of the second feature of a pair?",
    ),
    Mistake(
        "two_pluses",
        "{part} is what comes out when both features of a pair have a plus",
        Edit("first * cos - second * sin", "first * cos + second * sin"),
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask=(
            "Turn the pair (0, 1) by a quarter, a = 90 degrees: where does it end, and where "
            "does yours?"
        ),
    ),
    Mistake(
        "angles_multiplied",
        "{part} is what comes out when the position is multiplied by the power of 10000",
        Edit("[:, None] / 10000 **", "[:, None] * 10000.0 **"),
        ask="Which pair turns fastest, and which slowest?",
    ),
    Mistake(
        "rates_doubled",
        "{part} is what comes out when the exponent is 4 i / K in place of 2 i / K",
        Edit("(np.arange(0, K, 2) / K)", "(2 * np.arange(0, K, 2) / K)"),
        ask="With K = 4 there are two pairs. What is the exponent of the second one?",
    ),
    Mistake(
        "start_negated",
        "{part} is what comes out when backward turns to the positions -start, -start + 1, ...",
        Edit(
            "return flip * rotate(flip * dy, start)",
            "return rotate(dy, -start) if start else flip * rotate(flip * dy, 0)",
        ),
        ask=(
            "Position start + 1 was turned further than position start. Does your backward turn "
            "it back further?"
        ),
    ),
    Mistake(
        "queries_not_turned",
        "{part} is what comes out when the keys are turned and the queries are not",
        Edit("turned_q = rotate(q, S - T)", "turned_q = q"),
        ask="Move query and key by the same number of positions. Does your score stay?",
    ),
    Mistake(
        "nothing_turned",
        "{part} is what comes out when neither queries nor keys are turned",
        Edit("turned_q = rotate(q, S - T)", "turned_q = q"),
        Edit("turned_k = rotate(k, 0)", "turned_k = k"),
        Edit("rotate_backward(dproducts @ rotate(k, 0), start)", "dproducts @ k"),
        Edit(
            "rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)",
            "dproducts.swapaxes(2, 3) @ q",
        ),
        ask="Where in your lines do the positions of queries and keys occur?",
    ),
    Mistake(
        "queries_from_S",
        "{part} is what comes out when the first query has the position S",
        Edit("turned_q = rotate(q, S - T)", "turned_q = rotate(q, S)"),
        Edit("start = k.shape[2] - q.shape[2]", "start = k.shape[2]"),
        ask="There are 5 positions and 2 queries. Which numbers have the positions of the two?",
    ),
    Mistake(
        "queries_from_T",
        "{part} is what comes out when the first query has the position T",
        Edit("turned_q = rotate(q, S - T)", "turned_q = rotate(q, T)"),
        Edit("start = k.shape[2] - q.shape[2]", "start = q.shape[2]"),
        ask="There are 5 positions and 2 queries. Which numbers have the positions of the two?",
    ),
    Mistake(
        "softmax_taken",
        "{part} is what comes out when the softmax of the scores is taken as well",
        Edit(
            "return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)",
            "powers = np.exp(turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K))\n"
            "    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="Which two steps of attention come after the scores, by the docstring?",
    ),
    Mistake(
        "masked",
        "{part} is -inf where a key is behind its query",
        Edit(
            "return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)",
            "hidden = np.triu(np.ones((T, S), bool), S - T + 1)\n"
            "    scores = turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)\n"
            "    return np.where(hidden, -np.inf, scores)",
        ),
        ask="Which two steps of attention come after the scores, by the docstring?",
    ),
    Mistake(
        "scaled_by_K",
        "{part} is divided by K, not by its root",
        Edit("turned_k.swapaxes(2, 3) / math.sqrt(K)", "turned_k.swapaxes(2, 3) / K"),
        Edit("dscores / math.sqrt(q.shape[3])", "dscores / q.shape[3]"),
        ask=(
            "A query and a key have 64 random features. How large is their product typically, 8 "
            "or 64?"
        ),
    ),
]
