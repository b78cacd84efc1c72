"""What people write in place of the solution of multi_head_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "query_path_only",
        "{part} has only what comes back through the queries, as if keys and values did not "
        "depend on x",
        Edit("dq @ w_query.T + dk @ w_key.T + dv @ w_value.T", "dq @ w_query.T"),
        ask="Change one word of x. What changes for the other words, which look at it?",
    ),
    Mistake(
        "value_path_only",
        "{part} has only what comes back through the values, as if the weights did not depend on x",
        Edit("dq @ w_query.T + dk @ w_key.T + dv @ w_value.T", "dv @ w_value.T"),
        ask="Into how many products does x go in forward?",
    ),
    Mistake(
        "output_skipped",
        "{part} is what comes out when the heads are given dy itself, as if forward had ended "
        "with the merge",
        Edit("split_heads(dy @ w_output.T, heads.shape[1])", "split_heads(dy, heads.shape[1])"),
        ask="What did forward do last, and so what must backward do first?",
    ),
    Mistake(
        "dw_output_unmerged",
        "{part} was made of the heads in the order of their axes, (B, H, T, d_k), which is not "
        "the order of a merge",
        Edit(
            "matrix_gradient(merge_heads(heads), dy)",
            "matrix_gradient(heads.reshape(dy.shape), dy)",
        ),
        ask="Which array did forward multiply by W^O, and how does it differ from heads?",
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when the gradient of the heads is reshaped to (B, H, T, d_k), "
        "so that heads have the gradients of other positions",
        Edit(
            "split_heads(dy @ w_output.T, heads.shape[1])", "(dy @ w_output.T).reshape(heads.shape)"
        ),
        ask=(
            "The backward of a merge only moves numbers. Does a reshape alone move them to where "
            "they came from?"
        ),
    ),
    Mistake(
        "d_k_heads",
        "{part} has d_k heads with H features each",
        Edit(
            "split_heads(dy @ w_output.T, heads.shape[1])",
            "split_heads(dy @ w_output.T, heads.shape[-1])",
        ),
        Edit(
            "dheads, dw_output = output_backward(dy, heads, w_output)",
            "dheads = split_heads(dy @ w_output.T, heads.shape[1])\n"
            "    dw_output = matrix_gradient(merge_heads(heads), dy)",
        ),
        ask="Which axis of heads counts the heads, and which length do you take for their number?",
    ),
    Mistake(
        "heads_summed",
        "{part} is what comes out when the gradients of all heads are added up, and every head "
        "is given the sum",
        Edit("dq = merge_heads(dq)", "dq = np.tile(dq.sum(1), dq.shape[1])"),
        Edit("dk = merge_heads(dk)", "dk = np.tile(dk.sum(1), dk.shape[1])"),
        Edit("dv = merge_heads(dv)", "dv = np.tile(dv.sum(1), dv.shape[1])"),
        ask="Do two heads share any column of W^Q?",
    ),
    Mistake(
        "gradients_turned",
        "{part} is transposed",
        Edit("matrix_gradient(merge_heads(heads), dy)", "matrix_gradient(dy, merge_heads(heads))"),
        Edit("matrix_gradient(x, dq)", "matrix_gradient(dq, x)"),
        Edit("matrix_gradient(x, dk)", "matrix_gradient(dk, x)"),
        Edit("matrix_gradient(x, dv)", "matrix_gradient(dv, x)"),
        ask=(
            "Entry (i, j) of W takes feature i of what comes in to feature j of what goes out. "
            "Which does your row i belong to?"
        ),
    ),
    Mistake(
        "matrices_not_turned",
        "{part} is what comes out when the gradient goes back through every matrix on its way as "
        "if it went forward",
        Edit(
            "split_heads(dy @ w_output.T, heads.shape[1])",
            "split_heads(dy @ w_output, heads.shape[1])",
        ),
        Edit(
            "dq @ w_query.T + dk @ w_key.T + dv @ w_value.T",
            "dq @ w_query + dk @ w_key + dv @ w_value",
        ),
        ask=(
            "The matrices are square, so the shapes cannot warn you. If W were (D, F), what "
            "shape would dy @ W want?"
        ),
    ),
    Mistake(
        "keys_and_values_exchanged",
        "dx, dw_key and dw_value are what comes out when the gradient of the keys is taken for "
        "that of the values, and that of the values for that of the keys",
        Edit("dq, dk, dv = attention_backward", "dq, dv, dk = attention_backward"),
        ask=(
            "In which order does attention_backward return its three gradients, and in which do "
            "you take them?"
        ),
    ),
    Mistake(
        "matrices_of_keys_and_values_exchanged",
        "{part} is what comes out when the keys' gradient goes back through the values' matrix, "
        "and the values' through the keys'",
        Edit("dk @ w_key.T + dv @ w_value.T", "dk @ w_value.T + dv @ w_key.T"),
        ask="Which matrix made the keys of x?",
    ),
    Mistake(
        "merged_by_reshape",
        "{part} is what comes out when the gradients of the heads are reshaped to (B, T, D), so "
        "that rows hold several positions",
        Edit("dq = merge_heads(dq)", "dq = dq.reshape(x.shape)"),
        Edit("dk = merge_heads(dk)", "dk = dk.reshape(x.shape)"),
        Edit("dv = merge_heads(dv)", "dv = dv.reshape(x.shape)"),
        ask=(
            "The backward of a split only moves numbers. Does a reshape alone move them to where "
            "they came from?"
        ),
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit(
            "matrix_gradient(merge_heads(heads), dy)",
            "matrix_gradient(merge_heads(heads)[-1:], dy[-1:])",
        ),
        Edit("matrix_gradient(x, dq)", "matrix_gradient(x[-1:], dq[-1:])"),
        Edit("matrix_gradient(x, dk)", "matrix_gradient(x[-1:], dk[-1:])"),
        Edit("matrix_gradient(x, dv)", "matrix_gradient(x[-1:], dv[-1:])"),
        ask="When your code comes to the second sentence, what becomes of what the first one left?",
    ),
    Mistake(
        "dw_output_second",
        "the gradients came in the order dx, dw_output, dw_query, dw_key, dw_value",
        Edit(
            "    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output",
            "    dx, *others = projections_backward(dq, dk, dv, x, w_query, w_key, w_value)\n"
            "    return dx, dw_output, *others",
        ),
        ask="In which order does the docstring name the results?",
    ),
    Mistake(
        "queries_matrix_not_turned",
        "{part} is what comes out when the gradient of the queries alone goes back through its "
        "matrix as if it went forward",
        Edit("dq @ w_query.T", "dq @ w_query"),
        ask=(
            "The matrices are square, so the shapes cannot warn you. If W were (D, F), what shape "
            "would dy @ W want?"
        ),
    ),
    Mistake(
        "keys_matrix_not_turned",
        "{part} is what comes out when the gradient of the keys alone goes back through its "
        "matrix as if it went forward",
        Edit("dk @ w_key.T", "dk @ w_key"),
        ask=(
            "The matrices are square, so the shapes cannot warn you. If W were (D, F), what shape "
            "would dy @ W want?"
        ),
    ),
    Mistake(
        "values_matrix_not_turned",
        "{part} is what comes out when the gradient of the values alone goes back through its "
        "matrix as if it went forward",
        Edit("dv @ w_value.T", "dv @ w_value"),
        ask=(
            "The matrices are square, so the shapes cannot warn you. If W were (D, F), what shape "
            "would dy @ W want?"
        ),
    ),
    Mistake(
        "q_and_k_exchanged",
        "dx, dw_query and dw_key are what comes out when attention's backward is given q for k "
        "and k for q",
        Edit(
            "attention_backward(dheads, q, k, v, weights)",
            "attention_backward(dheads, k, q, v, weights)",
        ),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "queries_and_keys_exchanged",
        "dx, dw_query and dw_key are what comes out when the gradient of the queries is taken "
        "for that of the keys, and that of the keys for that of the queries",
        Edit("dq, dk, dv = attention_backward", "dk, dq, dv = attention_backward"),
        ask=(
            "In which order does attention_backward return its three gradients, and in which do "
            "you take them?"
        ),
    ),
    Mistake(
        "keys_twice",
        "in {part} the path through the keys stands twice, and that through the values is missing",
        Edit("+ dv @ w_value.T", "+ dk @ w_key.T"),
        ask=(
            "Into which three products did x go, and which of them do your lines come back through?"
        ),
    ),
    Mistake(
        "values_through_the_keys_matrix",
        "{part} is what comes out when the gradient of the values goes back through the keys' "
        "matrix",
        Edit("dv @ w_value.T", "dv @ w_key.T"),
        ask="Which matrix made the values of x?",
    ),
    Mistake(
        "dw_key_of_the_queries",
        "{part} is made of the gradient of the queries",
        Edit("matrix_gradient(x, dk)", "matrix_gradient(x, dq)"),
        ask="What did forward make with w_key, and which gradient belongs to that?",
    ),
    Mistake(
        "dw_value_of_the_keys",
        "{part} is made of the gradient of the keys",
        Edit("matrix_gradient(x, dv)", "matrix_gradient(x, dk)"),
        ask="What did forward make with w_value, and which gradient belongs to that?",
    ),
    Mistake(
        "k_and_v_exchanged",
        "dx and the gradients of the three matrices are what comes out when attention's backward "
        "is given v for k and k for v",
        Edit(
            "attention_backward(dheads, q, k, v, weights)",
            "attention_backward(dheads, q, v, k, weights)",
        ),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "matrices_of_queries_and_keys_exchanged",
        "{part} is what comes out when the queries' gradient goes back through the keys' matrix, "
        "and the keys' through the queries'",
        Edit("dq @ w_query.T + dk @ w_key.T", "dq @ w_key.T + dk @ w_query.T"),
        ask="Which matrix made the queries of x?",
    ),
    Mistake(
        "dx_last",
        "the gradients came in the order dw_query, dw_key, dw_value, dx",
        Edit(
            "    return dx, dw_query, dw_key, dw_value\n",
            "    return dw_query, dw_key, dw_value, dx\n",
        ),
        ask="In which order does the docstring name the results?",
    ),
    Mistake(
        "divided_by_the_batch",
        "{part} is divided by the number of sentences",
        Edit("return dheads, dw_output", "return dheads, dw_output / len(dy)"),
        Edit("matrix_gradient(x, dq)", "matrix_gradient(x, dq) / len(x)"),
        Edit("matrix_gradient(x, dk)", "matrix_gradient(x, dk) / len(x)"),
        Edit("matrix_gradient(x, dv)", "matrix_gradient(x, dv) / len(x)"),
        ask=(
            "If the loss is a mean over sentences, which array has been divided already before "
            "you get it?"
        ),
    ),
]
