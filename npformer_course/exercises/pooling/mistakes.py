"""What people write in place of the solution of pooling, and what to say of it."""

from npformer_course.definition import Edit, Mistake

WEIGHTS = "weights = mask / n_real"
POOLED = "return (weights[..., None] * x).sum(1)"
SHARES = "shares = mask / mask.sum(1, keepdims=True)"
SPREAD = "return shares[..., None] * dy[:, None]"
IN_A_BATCH = (
    "A sentence of three tokens stands in a batch with one of twenty. By which number should the "
    "sum over it be divided?"
)

MISTAKES = [
    Mistake(
        "mask_not_used",
        "y is the mean of all positions, padding included",
        Edit(POOLED, "return x.mean(1)"),
        ask="Put other numbers where the mask is False. Does y move?",
    ),
    Mistake(
        "divided_by_all_positions",
        "the sum over the real positions is divided by S, padding included",
        Edit(WEIGHTS, "weights = mask / mask.shape[1]"),
        ask=IN_A_BATCH,
    ),
    Mistake(
        "padding_in_the_sum",
        "padding is in the sum, which is divided by the number of real positions",
        Edit(WEIGHTS, "weights = np.ones(mask.shape) / n_real"),
        ask="Put other numbers where the mask is False. Does y move?",
    ),
    Mistake(
        "not_divided",
        "y is the sum of the real positions, not their mean",
        Edit(WEIGHTS, "weights = 1.0 * mask"),
        ask="All vectors of a sentence are the same. What is their mean, and what is y?",
    ),
    Mistake(
        "divided_by_all_real",
        "each sum is divided by the number of real positions of the whole batch",
        Edit(WEIGHTS, "weights = mask / mask.sum()"),
        ask="May the vector of a sentence depend on the other sentences of its batch?",
    ),
    Mistake(
        "mask_inverted",
        "y is made of the positions where the mask is False",
        Edit(WEIGHTS, "weights = ~mask / n_real"),
        ask="What does True mean in this mask?",
    ),
    Mistake(
        "largest",
        "y has the largest number of each feature, not the mean",
        Edit(POOLED, "return np.where(mask[..., None], x, -np.inf).max(1)"),
        ask="A feature is 1 at one token and 0 at nine. What is its mean?",
    ),
    Mistake(
        "first_position",
        "y is the vector of the first position",
        Edit(POOLED, "return 1 * x[:, 0]"),
        ask="What has the second token of a sentence to do with your y?",
    ),
    Mistake(
        "summed_over_features",
        "the features of a position are added up, not the positions of a sentence",
        Edit(POOLED, "return (weights[..., None] * x).sum(-1)"),
        ask="Which axis does the sum of the formula run along, and which one stays?",
    ),
    Mistake(
        "gradient_at_padding",
        "dx at padding has the same gradient as at a real position",
        Edit(SHARES, "shares = np.ones(mask.shape) / mask.sum(1, keepdims=True)"),
        ask="Move a vector of padding. Does the right y move?",
    ),
    Mistake(
        "gradient_not_divided",
        "dx is dy at every real position, whatever their number",
        Edit(SHARES, "shares = 1.0 * mask"),
        ask="One vector of a sentence of ten moves by 1. By how much does their mean move?",
    ),
    Mistake(
        "gradient_divided_by_all_positions",
        "dx is dy / S at the real positions, padding counted in S",
        Edit(SHARES, "shares = mask / mask.shape[1]"),
        ask=IN_A_BATCH,
    ),
    Mistake(
        "mask_not_used_backward",
        "dx does not depend on the mask: it is dy / S everywhere",
        Edit(SHARES, "shares = np.ones(mask.shape) / mask.shape[1]"),
        ask="Move a vector of padding. Does the right y move?",
    ),
    Mistake(
        "gradient_divided_by_all_real",
        "dx is divided by the number of real positions of the whole batch",
        Edit(SHARES, "shares = mask / mask.sum()"),
        ask="May the gradient of a sentence depend on the other sentences of its batch?",
    ),
    Mistake(
        "gradient_whole_everywhere",
        "dx is dy at every position, padding included",
        Edit(SPREAD, "return np.ones(mask.shape)[..., None] * dy[:, None]"),
        ask="Two things stand in front of a vector in the formula. Where are they in dx?",
    ),
    Mistake(
        "gradient_multiplied",
        "dx is multiplied by the number of real positions, not divided",
        Edit(SHARES, "shares = mask * mask.sum(1, keepdims=True)"),
        ask="One vector of a sentence of ten moves by 1. By how much does their mean move?",
    ),
]
