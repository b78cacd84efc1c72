"""What people write in place of the solution of cross_attention_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "values_only",
        "the memory gets its gradient by way of the values alone",
        Edit("onto_memory = merge_heads(dk) @ w_key.T + ", "onto_memory = "),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "keys_only",
        "the memory gets its gradient by way of the keys alone",
        Edit(" + merge_heads(dv) @ w_value.T", ""),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "x_and_memory_swapped",
        "the queries' gradient goes home through the keys' matrix, and the keys' through the "
        "queries'",
        Edit("merge_heads(dq) @ w_query.T", "merge_heads(dq) @ w_key.T"),
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_query.T"),
        ask="Which of the three matrices multiplied x?",
    ),
    Mistake(
        "keys_and_values_swapped",
        "the keys' gradient goes home through the values' matrix, and the values' through the "
        "keys'",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_value.T"),
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_key.T"),
        ask=(
            "Which matrix made the keys of the memory, and which gradient do your lines send "
            "back through it?"
        ),
    ),
    Mistake(
        "not_transposed",
        "{part} is what comes out when the last matrix on each way home is used as it was in "
        "forward",
        Edit("merge_heads(dq) @ w_query.T", "merge_heads(dq) @ w_query"),
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_key"),
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_value"),
        ask=(
            "If y = x W, and W were not square, with which matrix would the shapes of dy and dx "
            "fit?"
        ),
    ),
    Mistake(
        "output_not_transposed",
        "{part} is what comes out when dy goes through the output matrix as forward did",
        Edit("dy @ w_output.T", "dy @ w_output"),
        ask=(
            "If y = x W, and W were not square, with which matrix would the shapes of dy and dx "
            "fit?"
        ),
    ),
    Mistake(
        "output_forgotten",
        "{part} is what comes out when the heads are given dy itself",
        Edit("dy @ w_output.T", "dy"),
        ask="What is the last thing that forward does with the heads?",
    ),
    Mistake(
        "residual_in_dx",
        "dx holds dy as well",
        Edit("return merge_heads(dq) @ w_query.T", "return dy + merge_heads(dq) @ w_query.T"),
        ask="Is the residual connection a part of cross-attention, or does it stand around it?",
    ),
    Mistake(
        "overwritten",
        "dmemory of the decoder is that of its lowest layer: each layer's has taken the place of "
        "the one before",
        Edit("total = total + from_layer", "total = from_layer"),
        ask="The same memory is used in every layer. What becomes of gradients that meet?",
    ),
    Mistake(
        "top_layer_only",
        "dmemory of the decoder is that of its top layer",
        Edit(
            "total = total + from_layer",
            "total = from_layer if backward is backwards[-1] else total",
        ),
        ask="The same memory is used in every layer. What becomes of gradients that meet?",
    ),
    Mistake(
        "averaged",
        "dmemory of the decoder is the mean over the layers",
        Edit("total = total + from_layer", "total = total + from_layer / len(backwards)"),
        ask="If the memory moves by h, do the changes of the loss by way of two layers add up?",
    ),
    Mistake(
        "lowest_layer_first",
        "{part} is what comes out when the gradient goes through the lowest layer first",
        Edit("in reversed(backwards)", "in backwards"),
        ask="Which layer's result is it that dy is the gradient of?",
    ),
    Mistake(
        "same_dy_for_all",
        "{part} is what comes out when every layer is given the gradient of the top",
        Edit("dy, from_layer = backward(dy)", "dx, from_layer = backward(dy)"),
        Edit("return dy, total", "return dx, total"),
        ask="What is the gradient of the second layer's result, if a third layer is on top of it?",
    ),
    Mistake(
        "matrix_of_keys_not_transposed",
        "dmemory is what comes out when the matrix of the keys alone is used as it was in forward",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_key"),
        ask=(
            "If y = x W, and W were not square, with which matrix would the shapes of dy and dx "
            "fit?"
        ),
    ),
    Mistake(
        "matrix_of_values_not_transposed",
        "dmemory is what comes out when the matrix of the values alone is used as it was in "
        "forward",
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_value"),
        ask=(
            "If y = x W, and W were not square, with which matrix would the shapes of dy and dx "
            "fit?"
        ),
    ),
    Mistake(
        "merged_by_reshape",
        "{part} is what comes out when heads are joined by a reshape alone, so that rows hold "
        "several positions",
        Edit("merge_heads(dq)", "dq.reshape(dy.shape)"),
        Edit("merge_heads(dk)", "dk.reshape(len(dk), dk.shape[2], -1)"),
        Edit("merge_heads(dv)", "dv.reshape(len(dv), dv.shape[2], -1)"),
        ask="In (B, H, T, d_k), which number follows the last feature of position 0 of head 0?",
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when the gradient of the heads is made by a reshape alone, so "
        "that heads have the gradients of other positions",
        Edit("split_heads(dy @ w_output.T, q.shape[1])", "(dy @ w_output.T).reshape(q.shape)"),
        ask=(
            "Let x be np.arange(12).reshape(1, 3, 4), with 2 heads. Which four numbers should "
            "word 0 have in its two heads, and which has it in yours?"
        ),
    ),
    Mistake(
        "lowest_layer_skipped",
        "{part} is what comes out when the lowest layer is left out",
        Edit("in reversed(backwards)", "in reversed(backwards[1:])"),
        ask="How many functions are in the list, and how many do you call?",
    ),
    Mistake(
        "dy_added_at_each_layer",
        "{part} is what comes out when each layer's dy is added to the gradient that it returns",
        Edit(
            "dy, from_layer = backward(dy)",
            "dx, from_layer = backward(dy)\n        dy = dy + dx",
        ),
        ask="Is the residual inside the functions of the list, or outside?",
    ),
    Mistake(
        "keys_matrix_for_both",
        "dmemory is what comes out when keys and values both go home through the matrix of the "
        "keys",
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_key.T"),
        ask="Which matrix made the keys of the memory, and which the values?",
    ),
    Mistake(
        "values_matrix_for_both",
        "dmemory is what comes out when keys and values both go home through the matrix of the "
        "values",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_value.T"),
        ask="Which matrix made the keys of the memory, and which the values?",
    ),
    Mistake(
        "keys_by_the_query_matrix",
        "{part} is what comes out when the gradient of the keys goes back through w_query",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_query.T"),
        ask="Which matrix made the keys out of the memory?",
    ),
    Mistake(
        "keys_twice",
        "in dmemory the way of the keys stands twice, and that of the values is missing",
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dk) @ w_key.T"),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "keys_and_values_exchanged",
        "{part} is what comes out when attention's backward is given the values as keys and the "
        "keys as values",
        Edit(
            "attention_backward(dheads, q, k, v, weights)",
            "attention_backward(dheads, q, v, k, weights)",
        ),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "top_layer_skipped",
        "{part} is what comes out when the top layer is left out",
        Edit("in reversed(backwards)", "in reversed(backwards[:-1])"),
        ask="How many functions are in the list, and how many do you call?",
    ),
    Mistake(
        "dx_added_up",
        "dx of the decoder is the sum of the dx of all layers",
        Edit("    total = 0\n", "    total = 0\n    dxs = 0\n"),
        Edit("total = total + from_layer", "total = total + from_layer\n        dxs = dxs + dy"),
        Edit("return dy, total", "return dxs, total"),
        ask=(
            "Which layer's input is at the bottom of the decoder? Is the input of a higher layer "
            "there as well?"
        ),
    ),
]
