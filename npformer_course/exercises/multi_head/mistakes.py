"""What people write in place of the solution of multi_head, and what to say of it."""

from npformer_course.definition import Edit, Mistake

BY_TURNS = """    def by_turns(x):
        return x.reshape(*x.shape[:2], -1, n_heads).swapaxes(2, 3).reshape(x.shape)

"""


MISTAKES = [
    Mistake(
        "output_forgotten",
        "y is the heads side by side, not yet mixed",
        Edit("merge_heads(heads) @ w_output", "merge_heads(heads)"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "root_of_d_model",
        "{part} is what comes out when the scores are divided by the root of D, the width of all "
        "heads together",
        Edit(
            "split_heads(query @ w_query, n_heads)",
            "split_heads(query @ w_query, n_heads) / math.sqrt(n_heads)",
        ),
        ask="How many products are added up in one score of one head?",
    ),
    Mistake(
        "merged_by_reshape",
        "the heads' results were joined without their axes being put in order: rows of y hold "
        "several positions",
        Edit("merge_heads(heads) @", "heads.reshape(query.shape) @"),
        ask="In (B, H, T, d_k), which number follows the last feature of position 0 of head 0?",
    ),
    Mistake(
        "matrices_turned",
        "{part} is what comes out when every matrix on the way there is used transposed",
        Edit("query @ w_query", "query @ w_query.T"),
        Edit("key @ w_key", "key @ w_key.T"),
        Edit("value @ w_value", "value @ w_value.T"),
        Edit("@ w_output, weights", "@ w_output.T, weights"),
        ask=(
            "The matrices are square, so the shapes cannot warn you. What does the text say, x W "
            "or x times W transposed?"
        ),
    ),
    Mistake(
        "key_and_value_exchanged",
        "the scores are made of value, and the averages of key",
        Edit("key @ w_key", "value @ w_key"),
        Edit("value @ w_value", "key @ w_value"),
        ask=(
            "Which of key and value does a query compare itself with, and of which does it take "
            "the average?"
        ),
    ),
    Mistake(
        "value_not_projected",
        "the averages are taken of value as it came, not yet multiplied by a matrix",
        Edit("value @ w_value", "value"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "value_not_used",
        "y does not depend on value: the averages are taken of key",
        Edit("value @ w_value", "key @ w_value"),
        ask=(
            "With which of the three arrays does a query compare itself, and of which does it "
            "take the average?"
        ),
    ),
    Mistake(
        "weights_averaged",
        "weights is a mean over the heads",
        Edit("@ w_output, weights", "@ w_output, weights.mean(1)"),
        ask=(
            "Each head looks at places of its own. Can one still see in your weights which head "
            "looks where?"
        ),
    ),
    Mistake(
        "query_and_key_matrices_exchanged",
        "{part} is what comes out when the queries are made by the keys' matrix, and the keys by "
        "the queries'",
        Edit("query @ w_query", "query @ w_key"),
        Edit("key @ w_key", "key @ w_query"),
        ask="Which of the matrices does the text multiply Q by, and which K?",
    ),
    Mistake(
        "output_turned",
        "y is what comes out when the output matrix is used transposed",
        Edit("@ w_output, weights", "@ w_output.T, weights"),
        ask=(
            "The matrices are square, so the shapes cannot warn you. What does the text say, x W "
            "or x times W transposed?"
        ),
    ),
    Mistake(
        "scaled_twice",
        "{part} is what comes out when the scores are divided by d_k",
        Edit(
            "split_heads(query @ w_query, n_heads)",
            "split_heads(query @ w_query, n_heads) / math.sqrt(query.shape[-1] // n_heads)",
        ),
        ask="How often are your scores divided by the root of d_k: count what attention does, too.",
    ),
    Mistake(
        "query_matrix_turned",
        "{part} is what comes out when w_query alone is used transposed",
        Edit("query @ w_query", "query @ w_query.T"),
        ask=(
            "The matrix is square, so the shapes cannot warn you. What does the text say, x W or x "
            "times W transposed?"
        ),
    ),
    Mistake(
        "key_matrix_turned",
        "{part} is what comes out when w_key alone is used transposed",
        Edit("key @ w_key", "key @ w_key.T"),
        ask=(
            "The matrix is square, so the shapes cannot warn you. What does the text say, x W or x "
            "times W transposed?"
        ),
    ),
    Mistake(
        "value_matrix_turned",
        "{part} is what comes out when w_value alone is used transposed",
        Edit("value @ w_value", "value @ w_value.T"),
        ask=(
            "The matrix is square, so the shapes cannot warn you. What does the text say, x W or x "
            "times W transposed?"
        ),
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when queries, keys and values are reshaped to heads with no "
        "axes exchanged, so that heads have numbers of other positions",
        Edit(
            "split_heads(query @ w_query, n_heads)",
            "(query @ w_query).reshape(len(query), n_heads, query.shape[1], -1)",
        ),
        Edit(
            "split_heads(key @ w_key, n_heads)",
            "(key @ w_key).reshape(len(key), n_heads, key.shape[1], -1)",
        ),
        Edit(
            "split_heads(value @ w_value, n_heads)",
            "(value @ w_value).reshape(len(value), n_heads, value.shape[1], -1)",
        ),
        ask=(
            "Let x be np.arange(12).reshape(1, 3, 4), with 2 heads. Which four numbers should "
            "word 0 have in its two heads, and which has it in yours?"
        ),
    ),
    Mistake(
        "heads_take_turns",
        "{part} is what comes out when the heads take turns at the features: head h has every "
        "H-th of them",
        Edit(
            "split_heads(query @ w_query, n_heads)",
            "split_heads(by_turns(query @ w_query), n_heads)",
        ),
        Edit("split_heads(key @ w_key, n_heads)", "split_heads(by_turns(key @ w_key), n_heads)"),
        Edit(
            "split_heads(value @ w_value, n_heads)",
            "split_heads(by_turns(value @ w_value), n_heads)",
        ),
        Edit("    q = split", f"{BY_TURNS}    q = split"),
        ask=(
            "Columns 0 and 1 of w_query stand side by side, and d_k is 2 or more. To which heads "
            "do they belong?"
        ),
    ),
    Mistake(
        "values_split_by_reshape",
        "{part} is what comes out when the values are cut into heads in the order in which their "
        "numbers lie",
        Edit(
            "v = split_heads(value @ w_value, n_heads)",
            "v = (value @ w_value).reshape(len(value), n_heads, value.shape[1], -1)",
        ),
        ask=(
            "Of which position and which feature is the first number of position 1 of head 0 in "
            "your v?"
        ),
    ),
    Mistake(
        "heads_take_turns_at_the_values",
        "y is what comes out when the heads take turns at the features of the values: head h has "
        "every H-th of them",
        Edit(
            "split_heads(value @ w_value, n_heads)",
            "split_heads(by_turns(value @ w_value), n_heads)",
        ),
        Edit("    q = split", f"{BY_TURNS}    q = split"),
        ask=(
            "Columns 0 and 1 of w_value stand side by side, and d_k is 2 or more. To which heads "
            "do they belong?"
        ),
    ),
    Mistake(
        "one_head",
        "{part} is what a single head gives that is as wide as the model",
        Edit("split_heads(query @ w_query, n_heads)", "split_heads(query @ w_query, 1)"),
        Edit("split_heads(key @ w_key, n_heads)", "split_heads(key @ w_key, 1)"),
        Edit("split_heads(value @ w_value, n_heads)", "split_heads(value @ w_value, 1)"),
        ask="Where does n_heads stand in your lines?",
    ),
    Mistake(
        "key_and_value_matrices_exchanged",
        "{part} is what comes out when the keys are made with w_value, and the values with w_key",
        Edit("key @ w_key", "key @ w_value"),
        Edit("value @ w_value", "value @ w_key"),
        ask="Which matrix does each of key and value meet?",
    ),
    Mistake(
        "keys_and_values_exchanged_in_attention",
        "{part} is what comes out when the queries are compared with the projected values, and "
        "the averages are those of the projected keys",
        Edit("= attention(q, k, v)", "= attention(q, v, k)"),
        ask="In which order does attention take its arguments?",
    ),
    Mistake(
        "values_by_the_keys_matrix",
        "y is what comes out when the values are made by the keys' matrix",
        Edit("value @ w_value", "value @ w_key"),
        ask="Which of the four matrices have you used, and how often each?",
    ),
    Mistake(
        "query_not_projected",
        "{part} is what comes out when query goes to the heads as it came, without its matrix",
        Edit("query @ w_query", "query"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "key_not_projected",
        "{part} is what comes out when key goes to the heads as it came, without its matrix",
        Edit("key @ w_key", "key"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "keys_by_the_queries_matrix",
        "{part} is what comes out when the keys are made by the queries' matrix",
        Edit("key @ w_key", "key @ w_query"),
        ask="Which of the four matrices have you used, and how often each?",
    ),
    Mistake(
        "value_and_output_matrices_exchanged",
        "y is what comes out when the values are made by the output's matrix, and the result by "
        "the values'",
        Edit("value @ w_value", "value @ w_output"),
        Edit("@ w_output, weights", "@ w_value, weights"),
        ask="Which matrix does the text multiply V by, and which the heads side by side?",
    ),
    Mistake(
        "merged_by_turns",
        "the heads' features were joined by turns: feature 0 of every head, then feature 1 of "
        "every head",
        Edit("merge_heads(heads) @", "heads.transpose(0, 2, 3, 1).reshape(query.shape) @"),
        ask="Concat lays the heads side by side. Which number follows the first number of head 0?",
    ),
    Mistake(
        "weights_summed",
        "weights is a sum over the heads",
        Edit("@ w_output, weights", "@ w_output, weights.sum(1)"),
        ask=(
            "Each head looks at places of its own. Can one still see in your weights which head "
            "looks where?"
        ),
    ),
    Mistake(
        "weights_of_the_first_head",
        "weights holds those of the first head alone",
        Edit("@ w_output, weights", "@ w_output, weights[:, 0]"),
        ask=(
            "Each head looks at places of its own. Can one still see in your weights which head "
            "looks where?"
        ),
    ),
]
