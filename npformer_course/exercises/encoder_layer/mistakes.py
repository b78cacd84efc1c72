"""What people write in place of the solution of encoder_layer, and what to say of it."""

from npformer_course.definition import Edit, Mistake

# with a memory of another length these mistakes end in an error, and so are not made there
X_FOR_MEMORY = "(x if x.shape == memory.shape else memory)"
MEMORY_FOR_X = "(memory if x.shape == memory.shape else x)"

FIRST_NORM = 'part_of(w, "self_attention.norm")'
SECOND_NORM = 'part_of(w, "feed_forward.norm")'

WHO_ASKS = "Which array asks here, and which one is looked at?"
TRANSPOSED = (
    "The matrices are square, so the shapes cannot warn you. What do the formulas say, x W or x "
    "times W transposed?"
)
WHICH_ARRAYS = "Which of the eight arrays have you used?"

MISTAKES = [
    Mistake(
        "no_biases",
        "{part} is what comes out without the biases of attention",
        Edit(' + w["w_query.bias"]\n    key', "\n    key"),
        Edit(' + w["w_key.bias"]\n    value', "\n    value"),
        Edit(' + w["w_value.bias"]\n    q =', "\n    q ="),
        Edit(
            'return merged @ w["w_output.weight"] + w["w_output.bias"]',
            'return merged @ w["w_output.weight"]',
        ),
        ask=WHICH_ARRAYS,
    ),
    Mistake(
        "no_query_bias",
        "{part} is what comes out when the queries have no bias",
        Edit(' + w["w_query.bias"]\n    key', "\n    key"),
        ask=WHICH_ARRAYS,
    ),
    Mistake(
        "no_value_bias",
        "{part} is what comes out when the values have no bias",
        Edit(' + w["w_value.bias"]\n    q =', "\n    q ="),
        ask=WHICH_ARRAYS,
    ),
    Mistake(
        "no_output_bias",
        "{part} is what comes out when the last product has no bias",
        Edit(
            'return merged @ w["w_output.weight"] + w["w_output.bias"]',
            'return merged @ w["w_output.weight"]',
        ),
        ask=WHICH_ARRAYS,
    ),
    Mistake(
        "no_input_biases",
        "{part} is what comes out when only the last product has a bias",
        Edit(' + w["w_query.bias"]\n    key', "\n    key"),
        Edit(' + w["w_key.bias"]\n    value', "\n    value"),
        Edit(' + w["w_value.bias"]\n    q =', "\n    q ="),
        ask=WHICH_ARRAYS,
    ),
    Mistake(
        "no_output_projection",
        "{part} is what comes out when the heads are laid side by side and not mixed by the "
        "output matrix",
        Edit('return merged @ w["w_output.weight"] + w["w_output.bias"]', "return merged"),
        ask="Without the last product, does a feature of head 0 ever meet one of head 1?",
    ),
    Mistake(
        "memory_not_used",
        "{part} does not depend on memory: keys and values are made from x",
        Edit("key = memory @", f"key = {X_FOR_MEMORY} @"),
        Edit("value = memory @", f"value = {X_FOR_MEMORY} @"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "queries_of_memory",
        "{part} does not depend on x: the queries are made from memory",
        Edit("query = x @", f"query = {MEMORY_FOR_X} @"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "x_and_memory_exchanged",
        "{part} is what comes out when memory asks, and x is looked at",
        Edit("query = x @", f"query = {MEMORY_FOR_X} @"),
        Edit("key = memory @", f"key = {X_FOR_MEMORY} @"),
        Edit("value = memory @", f"value = {X_FOR_MEMORY} @"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "keys_of_x",
        "{part} is what comes out when the keys are made from x, and only the values from memory",
        Edit("key = memory @", f"key = {X_FOR_MEMORY} @"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "values_of_x",
        "{part} is what comes out when the values are made from x, and only the keys from memory",
        Edit("value = memory @", f"value = {X_FOR_MEMORY} @"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "key_and_value_exchanged",
        "{part} is what comes out when the keys are made with the arrays of w_value, and the "
        "values with those of w_key",
        Edit(
            'key = memory @ w["w_key.weight"] + w["w_key.bias"]',
            'key = memory @ w["w_value.weight"] + w["w_value.bias"]',
        ),
        Edit(
            'value = memory @ w["w_value.weight"] + w["w_value.bias"]',
            'value = memory @ w["w_key.weight"] + w["w_key.bias"]',
        ),
        ask="Which of the two is compared with the queries, and of which is the average taken?",
    ),
    Mistake(
        "matrices_turned",
        "{part} is what comes out when the four matrices of attention are used transposed",
        Edit('query = x @ w["w_query.weight"]', 'query = x @ w["w_query.weight"].T'),
        Edit('key = memory @ w["w_key.weight"]', 'key = memory @ w["w_key.weight"].T'),
        Edit('value = memory @ w["w_value.weight"]', 'value = memory @ w["w_value.weight"].T'),
        Edit('merged @ w["w_output.weight"]', 'merged @ w["w_output.weight"].T'),
        ask=TRANSPOSED,
    ),
    Mistake(
        "output_matrix_turned",
        "{part} is what comes out when the output matrix is used transposed",
        Edit('merged @ w["w_output.weight"]', 'merged @ w["w_output.weight"].T'),
        ask=TRANSPOSED,
    ),
    Mistake(
        "mask_not_used",
        "{part} does not depend on the mask",
        Edit("mask[:, None]", "np.ones_like(mask)[:, None]"),
        ask="Change what is at a position where the mask is False. Does your result change?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when a query looks where the mask is False, and nowhere else",
        Edit("mask[:, None]", "np.logical_not(mask)[:, None]"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "one_head",
        "{part} is what a single head gives that is as wide as the model",
        Edit("split_heads(query, n_heads)", "split_heads(query, 1)"),
        Edit("split_heads(key, n_heads)", "split_heads(key, 1)"),
        Edit("split_heads(value, n_heads)", "split_heads(value, 1)"),
        ask="Where is n_heads in your lines?",
    ),
    Mistake(
        "scaled_twice",
        "{part} is what comes out when the scores are divided by d_k",
        Edit(
            "split_heads(query, n_heads)",
            "split_heads(query, n_heads) / math.sqrt(query.shape[-1] // n_heads)",
        ),
        ask="How often are the scores divided by the root of d_k? Count masked_attention too.",
    ),
    Mistake(
        "merged_by_reshape",
        "{part} is what comes out when the heads are reshaped to (B, T, D) with no axes exchanged",
        Edit("merged = merge_heads(heads)", "merged = heads.reshape(x.shape)"),
        ask="reshape keeps the order of the numbers. In which order are the axes of your heads?",
    ),
    Mistake(
        "norm_before_the_sum",
        "what a sub-layer computes is normalized, and then added",
        Edit(f"z = norm(x + attended, {FIRST_NORM})", f"z = x + norm(attended, {FIRST_NORM})"),
        Edit(
            f"return norm(z + changed, {SECOND_NORM})", f"return z + norm(changed, {SECOND_NORM})"
        ),
        ask="With gain 1 and bias 0, what is the mean of the features of y? Print y.mean(-1).",
    ),
    Mistake(
        "pre_norm",
        "the norms are in front of the sub-layers, and the sums are left alone (pre-norm)",
        Edit(
            "attended = multi_head(x, x,",
            f"normed = norm(x, {FIRST_NORM})\n    attended = multi_head(normed, normed,",
        ),
        Edit(f"z = norm(x + attended, {FIRST_NORM})", "z = x + attended"),
        Edit("changed = network(z,", f"changed = network(norm(z, {SECOND_NORM}),"),
        Edit(f"return norm(z + changed, {SECOND_NORM})", "return z + changed"),
        ask="In the formulas, what does Attention get: x, or something normalized?",
    ),
    Mistake(
        "no_residuals",
        "nothing is added to what the sub-layers compute",
        Edit("norm(x + attended,", "norm(attended,"),
        Edit("norm(z + changed,", "norm(changed,"),
        ask="If both sub-layers return 0 everywhere, what of x should still be in the result?",
    ),
    Mistake(
        "first_residual_missing",
        "x is not added to what attention computes",
        Edit("norm(x + attended,", "norm(attended,"),
        ask="If attention returns 0 everywhere, what of x should still be in the result?",
    ),
    Mistake(
        "second_residual_missing",
        "nothing is added to what the feed-forward network computes",
        Edit("norm(z + changed,", "norm(changed,"),
        ask="If the network returns 0 everywhere, what should y be?",
    ),
    Mistake(
        "residual_of_the_input",
        "what the feed-forward network computes is added to the layer's input",
        Edit("norm(z + changed,", "norm(x + changed,"),
        ask="What went into the feed-forward network, and what is added to its result?",
    ),
    Mistake(
        "network_of_the_input",
        "the feed-forward network is given the layer's input",
        Edit("changed = network(z,", "changed = network(x,"),
        ask="Does the feed-forward network of your layer know what attention has found?",
    ),
    Mistake(
        "side_by_side",
        "both sub-layers are given the layer's input, and their results are added to it together",
        Edit(f"z = norm(x + attended, {FIRST_NORM})", "z = x + attended"),
        Edit("changed = network(z,", "changed = network(x,"),
        ask="How many sums and how many norms are in the formulas?",
    ),
    Mistake(
        "residual_past_the_norm",
        "the second sum has x and what attention computed in it, not yet normalized",
        Edit("norm(z + changed,", "norm(x + attended + changed,"),
        ask="What is z in the formulas: the sum, or its LayerNorm?",
    ),
    Mistake(
        "network_past_the_norm",
        "the feed-forward network is given the first sum, not yet normalized",
        Edit("changed = network(z,", "changed = network(x + attended,"),
        ask="What is z in the formulas: the sum, or its LayerNorm?",
    ),
    Mistake(
        "first_norm_missing",
        "the first sum is not normalized",
        Edit(f"z = norm(x + attended, {FIRST_NORM})", "z = x + attended"),
        ask="How often is LayerNorm in the formulas?",
    ),
    Mistake(
        "second_norm_missing",
        "the second sum is not normalized",
        Edit(f"return norm(z + changed, {SECOND_NORM})", "return z + changed"),
        ask="How often is LayerNorm in the formulas?",
    ),
    Mistake(
        "norms_missing",
        "nothing is normalized",
        Edit(f"z = norm(x + attended, {FIRST_NORM})", "z = x + attended"),
        Edit(f"return norm(z + changed, {SECOND_NORM})", "return z + changed"),
        ask="How often is LayerNorm in the formulas?",
    ),
    Mistake(
        "first_norm_for_both",
        "both sums are normalized with the gain and bias of self_attention.norm",
        Edit(f"changed, {SECOND_NORM}", f"changed, {FIRST_NORM}"),
        ask="Which of the names in the text do not occur in your lines?",
    ),
    Mistake(
        "second_norm_for_both",
        "both sums are normalized with the gain and bias of feed_forward.norm",
        Edit(f"attended, {FIRST_NORM}", f"attended, {SECOND_NORM}"),
        ask="Which of the names in the text do not occur in your lines?",
    ),
    Mistake(
        "norms_exchanged",
        "each of the two sums is normalized with the gain and bias of the other one",
        Edit(f"attended, {FIRST_NORM}", f"attended, {SECOND_NORM}"),
        Edit(f"changed, {SECOND_NORM}", f"changed, {FIRST_NORM}"),
        ask="Which sub-layer is in front of each of your norms, and whose norm is it by its name?",
    ),
    Mistake(
        "no_attention",
        "there is no attention: only the feed-forward network has changed x",
        Edit(f"z = norm(x + attended, {FIRST_NORM})", "z = x"),
        ask="Change one word of a sentence. Do the results of its other words change?",
    ),
    Mistake(
        "no_network",
        "there is no feed-forward network: y is the first of the two formulas",
        Edit(f"return norm(z + changed, {SECOND_NORM})", "return z"),
        ask="How many sub-layers does the text count?",
    ),
    Mistake(
        "network_first",
        "the feed-forward network comes first, and attention after it",
        Edit(
            'attended = multi_head(x, x, mask, part_of(w, "self_attention.sublayer"), n_heads)',
            'changed = network(x, part_of(w, "feed_forward.sublayer"))',
        ),
        Edit(f"z = norm(x + attended, {FIRST_NORM})", f"z = norm(x + changed, {SECOND_NORM})"),
        Edit(
            'changed = network(z, part_of(w, "feed_forward.sublayer"))',
            'changed = multi_head(z, z, mask, part_of(w, "self_attention.sublayer"), n_heads)',
        ),
        Edit(
            f"return norm(z + changed, {SECOND_NORM})",
            f"return norm(z + changed, {FIRST_NORM})",
        ),
        ask="Which of the two sub-layers is nearer to the input in figure 1?",
    ),
]
