"""What people write in place of the solution of grouped_queries, and what to say of it."""

from npformer_course.definition import Edit, Mistake

K = "k_of_head = k.repeat(sharing, axis=1)"
V = "v_of_head = v.repeat(sharing, axis=1)"
TILED_K = "k_of_head = np.tile(k, (1, sharing, 1, 1))"
TILED_V = "v_of_head = np.tile(v, (1, sharing, 1, 1))"
CALL = "return attention(q, k_of_head, v_of_head)"

WHICH_HEAD = "With H = 4 and G = 2: which key head does head 1 of the queries use, and which one "
WHICH_HEAD += "does yours use?"

MISTAKES = [
    Mistake(
        "tiled",
        "head h uses key head h mod G: not neighbors share, but heads that are G apart",
        Edit(K, TILED_K),
        Edit(V, TILED_V),
        ask=WHICH_HEAD,
    ),
    Mistake(
        "values_tiled",
        "y is what comes out when the keys are those of the group, and the values those of head "
        "h mod G",
        Edit(V, TILED_V),
        ask="A head finds a key. Is the value that it takes the one that belongs to this key?",
    ),
    Mistake(
        "keys_tiled",
        "the values are those of the group, and the keys those of head h mod G",
        Edit(K, TILED_K),
        ask="A head finds a key. Is the value that it takes the one that belongs to this key?",
    ),
    Mistake(
        "first_group_for_all",
        "{part} is what comes out when all heads use the keys and values of group 0",
        Edit(K, "k_of_head = k[:, :1]"),
        Edit(V, "v_of_head = v[:, :1]"),
        ask=WHICH_HEAD,
    ),
    Mistake(
        "last_group_for_all",
        "{part} is what comes out when all heads use the keys and values of the last group",
        Edit(K, "k_of_head = k[:, -1:]"),
        Edit(V, "v_of_head = v[:, -1:]"),
        ask=WHICH_HEAD,
    ),
    Mistake(
        "mean_of_groups",
        "{part} is what comes out when all heads use the mean of all key heads",
        Edit(K, "k_of_head = k.mean(1, keepdims=True)"),
        Edit(V, "v_of_head = v.mean(1, keepdims=True)"),
        ask="How many groups are there in your result, and how many should there be?",
    ),
    Mistake(
        "groups_in_reverse",
        "{part} is what comes out when the groups are counted from the last one",
        Edit(K, "k_of_head = k[:, ::-1].repeat(sharing, axis=1)"),
        Edit(V, "v_of_head = v[:, ::-1].repeat(sharing, axis=1)"),
        ask=WHICH_HEAD,
    ),
    Mistake(
        "mean_of_queries",
        "{part} is what comes out when the heads of a group share one query, their mean",
        Edit(
            CALL,
            "B, H, T, d_k = q.shape\n"
            "    shared = q.reshape(B, k.shape[1], sharing, T, d_k).mean(2)\n"
            "    return attention(shared.repeat(sharing, axis=1), k_of_head, v_of_head)",
        ),
        ask="What is shared by the heads of a group: queries, or keys and values?",
    ),
    Mistake(
        "first_query_of_the_group",
        "{part} is what comes out when the heads of a group share the query of the first of them",
        Edit(
            CALL,
            "shared = q[:, ::sharing].repeat(sharing, axis=1)\n"
            "    return attention(shared, k_of_head, v_of_head)",
        ),
        ask="What is shared by the heads of a group: queries, or keys and values?",
    ),
    Mistake(
        "not_scaled",
        "{part} is what comes out when the scores are not divided by the root of d_k",
        Edit(CALL, "return attention(q * math.sqrt(q.shape[-1]), k_of_head, v_of_head)"),
        ask="Which division does equation 1 have before the softmax?",
    ),
    Mistake(
        "scaled_twice",
        "{part} is what comes out when the scores are divided by d_k: twice by its root",
        Edit(CALL, "return attention(q / math.sqrt(q.shape[-1]), k_of_head, v_of_head)"),
        ask="What has `attention` done already?",
    ),
    Mistake(
        "scaled_by_the_groups",
        "{part} is what comes out when the scores are divided by the root of R too, as if heads "
        "that share a key had R d_k features",
        Edit(CALL, "return attention(q / math.sqrt(sharing), k_of_head, v_of_head)"),
        ask="Over how many features does the dot product of a query and a key run?",
    ),
    Mistake(
        "weights_of_a_group_averaged",
        "weights has one map per group, the mean of its heads, repeated for each head",
        Edit(
            CALL,
            "y, weights = attention(q, k_of_head, v_of_head)\n"
            "    B, H, T, S = weights.shape\n"
            "    means = weights.reshape(B, k.shape[1], sharing, T, S).mean(2)\n"
            "    return y, means.repeat(sharing, axis=1)",
        ),
        ask="Two heads of a group have different queries. Do they look at the same places?",
    ),
    Mistake(
        "softmax_over_the_group",
        "{part} is what comes out when the weights of the heads of a group sum to 1 together",
        Edit(
            CALL,
            "y, weights = attention(q, k_of_head, v_of_head)\n"
            "    scores = q @ k_of_head.swapaxes(2, 3) / math.sqrt(q.shape[-1])\n"
            "    B, H, T, S = scores.shape\n"
            "    powers = np.exp(scores).reshape(B, k.shape[1], sharing, T, S)\n"
            "    weights = powers / powers.sum((2, 4), keepdims=True)\n"
            "    weights = weights.reshape(B, H, T, S)\n"
            "    return weights @ v_of_head, weights",
        ),
        ask="Print weights.sum(-1). How much attention does each head have to give away?",
    ),
    Mistake(
        "order_of_heads_lost",
        "{part} has the right heads in another order: those of a group are not neighbors",
        Edit(
            CALL,
            "B, H, T, d_k = q.shape\n"
            "    order = np.arange(H).reshape(k.shape[1], sharing).T.ravel()\n"
            "    y, weights = attention(q, k_of_head, v_of_head)\n"
            "    return y[:, order], weights[:, order]",
        ),
        ask="Which axis comes first when groups and the heads in them are put back into one?",
    ),
]
