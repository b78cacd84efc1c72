"""What people write in place of the solution of heads, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "reshape_only",
        "{part} is what a reshape alone makes of what came in: the numbers are still in the order "
        "in which they lay",
        Edit(
            "return parts.swapaxes(1, 2)",
            "return parts.reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit("by_position = heads.swapaxes(1, 2)", "by_position = heads"),
        ask=(
            "Fill position t with the number t. Which numbers should position t have in the "
            "result, and which has it?"
        ),
    ),
    Mistake(
        "d_k_before_heads",
        "the heads take turns at the features: head h has every H-th feature",
        Edit(
            "parts = x.reshape(batch, length, n_heads, width // n_heads)",
            "parts = x.reshape(batch, length, width // n_heads, n_heads).swapaxes(2, 3)",
        ),
        Edit(
            "return by_position.reshape(batch, length, n_heads * d_k)",
            "return by_position.swapaxes(2, 3).reshape(batch, length, n_heads * d_k)",
        ),
        ask=(
            "Features 0 and 1 stand side by side, and d_k is 2 or more. To which head does each "
            "of them belong in your code, and to which in the text?"
        ),
    ),
    Mistake(
        "d_k_heads",
        "there are d_k heads with H features each",
        Edit("n_heads, width // n_heads)", "width // n_heads, n_heads)"),
        ask="Which axis of your result counts the heads, and how many heads should there be?",
    ),
    Mistake(
        "sentences_mixed",
        "numbers of one sentence are found in another: the axes of sentences and heads were read "
        "in the wrong order",
        Edit(
            "parts = x.reshape(batch, length, n_heads, width // n_heads)",
            "parts = np.stack(np.split(x, n_heads, -1)).reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit("return parts.swapaxes(1, 2)", "return parts"),
        Edit("by_position = heads.swapaxes(1, 2)", "by_position = heads.swapaxes(0, 1)"),
        ask="Fill sentence b with the number b. Which numbers should the result have in its row b?",
    ),
    Mistake(
        "positions_for_features",
        "numbers of different positions were joined: the axes of positions and features were "
        "read in the wrong order",
        Edit(
            "parts = x.reshape(batch, length, n_heads, width // n_heads)",
            "parts = x.reshape(batch, n_heads, width // n_heads, length)",
        ),
        Edit("return parts.swapaxes(1, 2)", "return parts.swapaxes(2, 3)"),
        Edit("by_position = heads.swapaxes(1, 2)", "by_position = heads.swapaxes(2, 3)"),
        ask=(
            "Fill position t with the number t. Which numbers should position t have in the result?"
        ),
    ),
    Mistake(
        "exchanged_before_reshape",
        "{part} has numbers of several positions in one place: two axes were exchanged, and the "
        "shape was then filled as if they had not been",
        Edit(
            "parts = x.reshape(batch, length, n_heads, width // n_heads)",
            "parts = x.swapaxes(1, 2).reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit("return parts.swapaxes(1, 2)", "return parts"),
        Edit("by_position = heads.swapaxes(1, 2)", "by_position = heads.transpose(0, 3, 1, 2)"),
        ask=(
            "Fill position t with the number t. Which numbers should position t have in the result?"
        ),
    ),
    Mistake(
        "heads_summed",
        "merged is the sum of the heads, feature by feature",
        Edit("return by_position.reshape(batch, length, n_heads * d_k)", "return heads.sum(1)"),
        ask=(
            "How many numbers does a position have before the split, and how many after your merge?"
        ),
    ),
    Mistake(
        "heads_averaged",
        "merged is the mean of the heads, feature by feature",
        Edit("return by_position.reshape(batch, length, n_heads * d_k)", "return heads.mean(1)"),
        ask=(
            "How many numbers does a position have before the split, and how many after your merge?"
        ),
    ),
    Mistake(
        "joined_along_positions",
        "the heads follow one another along the positions",
        Edit(
            "return by_position.reshape(batch, length, n_heads * d_k)",
            "return heads.reshape(batch, n_heads * length, d_k)",
        ),
        ask="Which axis of the result is to become longer by the merge: that of the positions?",
    ),
]
