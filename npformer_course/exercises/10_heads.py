# id: heads | points: 7 | minutes: 30 | level: 2 | needs: attention | notebook: 03

# %% [markdown]
# # Heads: split and merge
#
# One attention gives one average per word. The paper (section 3.2.2) wants several at once, and so cuts the $D$ numbers
# of a word into $H$ heads of $d_k = D / H$ numbers. Each head attends on its own, and afterwards the results are laid
# side by side again ("Concat").
#
# The paper writes a small matrix $W_h^Q$ of shape $(D, d_k)$ for each head. Code keeps them side by side in one wide
# matrix and multiplies once. So in each row of the product the first $d_k$ numbers belong to head 0, the next $d_k$ to
# head 1, and so on:
#
# $$\underbrace{x_0 \dots x_{d_k - 1}}_{\text{head } 0}\;
#   \underbrace{x_{d_k} \dots x_{2 d_k - 1}}_{\text{head } 1}\; \dots\;
#   \underbrace{x_{(H - 1) d_k} \dots x_{D - 1}}_{\text{head } H - 1}$$
#
# Attention works on the last two axes, positions and features, so the heads must come before them: $(B, H, T, d_k)$.
# No number is computed here. All that can go wrong is the *place* of a number, and that is easily done: many
# arrangements have the right shape. With a wrong one the model still trains, only worse; or, if positions are mixed,
# suspiciously well, because a word sees the words that a mask should hide. This is the right arrangement:

# %%
import numpy as np


def split_heads_slowly(x, n_heads):
    """The same as `split_heads` below, by loops."""
    B, T, D = x.shape
    d_k = D // n_heads
    heads = np.zeros((B, n_heads, T, d_k))
    for b in range(B):
        for t in range(T):
            for h in range(n_heads):
                for i in range(d_k):
                    heads[b, h, t, i] = x[b, t, h * d_k + i]
    return heads


def merge_heads_slowly(heads):
    """The same as `merge_heads` below, by loops."""
    B, H, T, d_k = heads.shape
    merged = np.zeros((B, T, H * d_k))
    for b in range(B):
        for t in range(T):
            for h in range(H):
                for i in range(d_k):
                    merged[b, t, h * d_k + i] = heads[b, h, t, i]
    return merged


# %% [markdown]
# ## The mask goes along
#
# Some programs do not keep $B$ and $H$ apart, but fold them into one axis of $B \cdot H$: entry $bH + h$ is head $h$
# of sentence $b$, so the heads of one sentence stand together. (PyTorch's `nn.MultiheadAttention` is one of them.)
# Every head of a sentence has that sentence's mask. So a mask $(B, T, S)$ must be repeated to $(B \cdot H, T, S)$, in
# the same order. In a wrong order the first sentence is read under the second one's mask.


# %%
def mask_of_heads_slowly(mask, n_heads):
    """The same as `mask_of_heads` below, by loops."""
    B, T, S = mask.shape
    repeated = np.zeros((B * n_heads, T, S), dtype=bool)
    for b in range(B):
        for h in range(n_heads):
            repeated[b * n_heads + h] = mask[b]
    return repeated


# %% [markdown]
# ## Your turn
#
# `reshape` reads the numbers in the order of the axes, the last one fastest, and writes them in the same order into
# the new shape. It can cut an axis in two or join two neighbors, but it never changes the order of axes: `swapaxes`
# and `transpose` do that. Here you need both.


# %%
def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D), where H = n_heads divides D, and d_k = D / H.

    Head h has the features h * d_k to (h + 1) * d_k - 1 of each position. x is not changed.
    """
    # BEGIN SOLUTION
    batch, length, width = x.shape
    return x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)
    # END SOLUTION


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side, (B, T, H * d_k): what `split_heads` took apart.

    heads is not changed.
    """
    # BEGIN SOLUTION
    batch, n_heads, length, d_k = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)
    # END SOLUTION


def mask_of_heads(mask, n_heads):
    """Return the mask for heads folded into the batch: booleans (B * H, T, S), where H = n_heads.

    mask: booleans (B, T, S). Entry b * H + h of the result is the mask of sentence b. mask is not changed.
    """
    # BEGIN SOLUTION
    return np.repeat(mask, n_heads, axis=0)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, H, T, S, d_k):
    """Draw what is to be split, what is to be merged, and a mask for each sentence."""
    return {
        "x": draw.normal(B, T, H * d_k),
        "heads": draw.normal(B, H, T, d_k),
        "mask": draw.mask(B, T, S),
        "n_heads": H,
    }


def split(student, x, n_heads):
    return student.split_heads(x, n_heads)


def merge(student, heads):
    return student.merge_heads(heads)


def repeat_mask(student, mask, n_heads):
    return student.mask_of_heads(mask, n_heads)


CALLS = [Call(split, {"heads": 3}), Call(merge, {"merged": 2}), Call(repeat_mask, {"mask_of_heads": 1})]
SLOW = {"split": split_heads_slowly, "merge": merge_heads_slowly, "repeat_mask": mask_of_heads_slowly}

PREDICTION = Prediction(
    "Splitting has a backward too: a gradient of shape (B, H, T, d_k) comes from the heads, and x wants one of shape "
    "(B, T, D). Which function computes it?",
    {
        "a": "merge_heads of the gradient",
        "b": "merge_heads of the gradient, divided by H, because H heads share x",
        "c": "the sum of the gradient over the heads",
    },
    answer="a",
    because="Each number of x goes to one place in one head and is not changed on the way, so its gradient is the one "
    "found at that place. Whatever only moves numbers has a backward that moves them back.",
)

MISTAKES = [
    Mistake(
        "reshape_only",
        "{part} is what a reshape alone makes of what came in: no number has passed another",
        Edit(
            "x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)",
            "x.reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit(
            "heads.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)", "heads.reshape(batch, length, n_heads * d_k)"
        ),
        ask="Fill position t with the number t. Which numbers should position t have in the result, and which has it?",
    ),
    Mistake(
        "d_k_before_heads",
        "the heads take turns at the features: head h has every H-th feature",
        Edit(
            "x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)",
            "x.reshape(batch, length, width // n_heads, n_heads).transpose(0, 3, 1, 2)",
        ),
        Edit("heads.swapaxes(1, 2).reshape(batch, length", "heads.transpose(0, 2, 3, 1).reshape(batch, length"),
        ask="Features 0 and 1 stand side by side, and d_k is 2 or more. To which head does each of them belong in your "
        "code, and to which in the text?",
    ),
    Mistake(
        "d_k_heads",
        "there are d_k heads with H features each",
        Edit("n_heads, width // n_heads).swap", "width // n_heads, n_heads).swap"),
        ask="Which axis of your result counts the heads, and how many heads should there be?",
    ),
    Mistake(
        "sentences_mixed",
        "numbers of one sentence are found in another: the axes of sentences and heads were read in the wrong order",
        Edit(
            "x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)",
            "np.stack(np.split(x, n_heads, -1)).reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit("heads.swapaxes(1, 2).reshape(batch, length", "heads.swapaxes(0, 1).reshape(batch, length"),
        ask="Fill sentence b with the number b. Which numbers should the result have in its row b?",
    ),
    Mistake(
        "positions_for_features",
        "numbers of different positions were joined: the axes of positions and features were read in the wrong order",
        Edit(
            "x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)",
            "x.reshape(batch, n_heads, width // n_heads, length).swapaxes(2, 3)",
        ),
        Edit("heads.swapaxes(1, 2).reshape(batch, length", "heads.swapaxes(2, 3).reshape(batch, length"),
        ask="Fill position t with the number t. Which numbers should position t have in the result?",
    ),
    Mistake(
        "mask_tiled",
        "the masks of all sentences follow one another, and then again, H times",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.tile(mask, (n_heads, 1, 1))"),
        ask="With 2 sentences and 3 heads, whose mask should entry 1 of the result be?",
    ),
    Mistake(
        "mask_repeated_by_row",
        "inside a sentence, the row of each query stands H times in succession",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.repeat(mask, n_heads, axis=1).reshape(-1, *mask.shape[1:])"),
        ask="Is a row repeated in your code, or the whole mask of a sentence?",
    ),
    Mistake(
        "mask_repeated_by_entry",
        "each single entry of the mask stands H times in a row, across the keys",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.repeat(mask, n_heads).reshape(-1, *mask.shape[1:])"),
        ask="Which axis is to become H times as long, and what do your numbers repeat along?",
    ),
    Mistake(
        "exchanged_before_reshape",
        "{part} has numbers of several positions in one place: two axes were exchanged, and the shape was then filled "
        "as if they had not been",
        Edit(
            "x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)",
            "x.swapaxes(1, 2).reshape(batch, n_heads, length, width // n_heads)",
        ),
        Edit("heads.swapaxes(1, 2).reshape(batch, length", "heads.transpose(0, 3, 1, 2).reshape(batch, length"),
        ask="Fill position t with the number t. Which numbers should position t have in the result?",
    ),
    Mistake(
        "heads_summed",
        "merged is the sum of the heads, feature by feature",
        Edit("heads.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)", "heads.sum(1)"),
        ask="How many numbers does a position have before the split, and how many after your merge?",
    ),
    Mistake(
        "heads_averaged",
        "merged is the mean of the heads, feature by feature",
        Edit("heads.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)", "heads.mean(1)"),
        ask="How many numbers does a position have before the split, and how many after your merge?",
    ),
    Mistake(
        "joined_along_positions",
        "the heads follow one another along the positions",
        Edit(
            "heads.swapaxes(1, 2).reshape(batch, length, n_heads * d_k)",
            "heads.reshape(batch, n_heads * length, d_k)",
        ),
        ask="Which axis of the result is to become longer by the merge: that of the positions?",
    ),
    Mistake(
        "mask_inverted",
        "True and False have changed places",
        Edit("return np.repeat(mask, n_heads, axis=0)", "return ~np.repeat(mask, n_heads, axis=0)"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "first_mask_for_all",
        "all heads of all sentences have the mask of the first sentence",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.repeat(mask[:1], len(mask) * n_heads, axis=0)"),
        ask="Whose mask should the last entry of the result be?",
    ),
    Mistake(
        "queries_repeated",
        "the row of each query stands H times, one below the other, within its sentence",
        Edit("np.repeat(mask, n_heads, axis=0)", "np.repeat(mask, n_heads, axis=1)"),
        ask="Which axis is to become H times as long?",
    ),
    Mistake(
        "mask_unchanged",
        "what comes back is the mask as it was, with one entry for each sentence",
        Edit("return np.repeat(mask, n_heads, axis=0)", "return mask"),
        ask="How many heads do all sentences have together, and how many masks do you return?",
    ),
    Mistake(
        "mask_all_true",
        "nothing is hidden: all entries are True",
        Edit("return np.repeat(mask, n_heads, axis=0)", "return np.repeat(mask, n_heads, axis=0) | True"),
        ask="Which numbers of the mask have gone into your result?",
    ),
]

HINTS = [
    "Try it on numbers that tell where they come from: x = np.arange(12).reshape(1, 3, 4) with 2 heads. Write down on "
    "paper what should come out, then look at what does.",
    "Splitting takes two steps. First cut the last axis in two, and be careful which of the two new axes comes first. "
    "Then the shape has the right four letters in the wrong order.",
    "Split: reshape to (B, T, H, d_k), then exchange axes 1 and 2. Merge: the same two steps backwards. For the mask, "
    "compare np.repeat and np.tile on a list of two, and remember that both can be told an axis or a shape.",
]

ALTERNATIVES = [
    """
def split_heads(x, n_heads):
    return split_heads_slowly(x, n_heads)


def merge_heads(heads):
    return merge_heads_slowly(heads)


def mask_of_heads(mask, n_heads):
    return mask_of_heads_slowly(mask, n_heads)
""",
    """
def split_heads(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def merge_heads(heads):
    return np.concatenate([heads[:, h] for h in range(heads.shape[1])], axis=-1)


def mask_of_heads(mask, n_heads):
    many = np.broadcast_to(mask[:, None], (len(mask), n_heads, *mask.shape[1:]))
    return many.reshape(-1, *mask.shape[1:])
""",
    """
def split_heads(x, n_heads):
    B, T, D = x.shape
    return x.transpose(0, 2, 1).reshape(B, n_heads, D // n_heads, T).transpose(0, 1, 3, 2)


def merge_heads(heads):
    B, H, T, d_k = heads.shape
    y = np.empty((B, T, H, d_k))
    for h in range(H):
        y[:, :, h] = heads[:, h]
    return y.reshape(B, T, -1)


def mask_of_heads(mask, n_heads):
    return mask[np.arange(len(mask) * n_heads) // n_heads]
""",
]
