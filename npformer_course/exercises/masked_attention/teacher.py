"""How the answers to masked_attention are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import mask_of_heads_slowly, masked_attention_slowly


def inputs(draw, B, H, T, S, d_k, d_v):
    """Draw queries, keys and values, and masks in which one query may attend to nothing."""
    return {
        "q": draw.normal(B, H, T, d_k),
        "k": draw.normal(B, H, S, d_k),
        "v": draw.normal(B, H, S, d_v),
        "mask": draw.mask(B, 1, T, S, empty=B * T > 1),
        "padding": draw.mask(B, 1, 1, S),
        "sentence_mask": draw.mask(B, T, S),
        "n_heads": H,
    }


def forward(student, q, k, v, mask):
    return student.masked_attention(q, k, v, mask)


def padded(student, q, k, v, padding):
    y, _ = student.masked_attention(q, k, v, padding)
    return y


def padded_slowly(q, k, v, padding):
    y, _ = masked_attention_slowly(q, k, v, padding)
    return y


def repeat_mask(student, sentence_mask, n_heads):
    return student.mask_of_heads(sentence_mask, n_heads)


def repeat_mask_slowly(sentence_mask, n_heads):
    return mask_of_heads_slowly(sentence_mask, n_heads)


EXERCISE = Exercise(
    minutes=25,
    difficulty=2,
    importance=4,
    needs=("attention", "heads", "masks", "masked_softmax"),
    inputs=inputs,
    calls=[
        Call(forward, {"y": 3, "weights": 2}),
        Call(padded, {"y under a padding mask": 1}),
        Call(repeat_mask, {"mask_of_heads": 1}),
    ],
    slow={
        "forward": masked_attention_slowly,
        "padded": padded_slowly,
        "repeat_mask": repeat_mask_slowly,
    },
    prediction=Prediction(
        "A sentence has 4 words and then 2 positions of padding. Somebody appends 10 more "
        "positions of padding to it. What happens to the results of its 4 words in an encoder?",
        {
            "a": "nothing",
            "b": "they shrink, because the weights are shared by more keys",
            "c": "it depends on the values at the new positions",
        },
        answer="a",
        because=(
            "The new keys are hidden, so their weights are 0, and the words share the whole "
            "weight as before. That is why a batch may have any length. Where a result changes "
            "with the padding, a mask is missing, or acts too late."
        ),
    ),
    hints=[
        "Start from your attention without a mask. Which of its three lines has to know who may "
        "look at whom: that of the scores, of the weights, or of the result?",
        "The mask (B, 1, T, S) broadcasts to the scores (B, H, T, S) as it came: nothing has to "
        "be done to it. For mask_of_heads, compare np.repeat and np.tile on a list of two, and "
        "remember that both can be told an axis or a shape.",
        "Three lines: the product of q with the turned k, over the root of the last size of q; "
        "masked_softmax of that with the mask as it came; the weights times v. Return the product "
        "and the weights. And of the two functions for the mask, take the one that puts the "
        "copies of one sentence next to each other.",
    ],
)
