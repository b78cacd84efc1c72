# id: embedding | points: 8 | minutes: 35 | level: 2 | needs: linear | notebook: 07

# %% [markdown]
# # Embedding
#
# A sentence comes as numbers of words, its *ids*: (7, 2, 7). Numbers of words are names. Word 7 is not "more" than
# word 2, so nothing may be computed with them. Instead, a table holds a learned row of $D$ features for each of the
# $V$ words of the vocabulary, and an id says which row to take. Section 3.4 of the paper adds a factor:
#
# $$y_{b,t} = \sqrt{d_{model}}\;\, E_{id_{b,t}}, \qquad E \text{ of shape } (V, D), \quad d_{model} = D$$
#
# Why the root? The same table also scores words at the other end of the model, and for that its numbers must be small,
# about $1/\sqrt{D}$ each. As inputs they would then be drowned by the positions that are added next, whose numbers
# are of size 1. The root makes them loud enough.
#
# **Backwards.** An id has no gradient: there is no word 2.01. The table has one. Row $w$ of it was used wherever the
# id was $w$, perhaps at many places in many sentences, perhaps at none, and at each place it went through the root:
#
# $$dE_w = \sqrt{D} \sum_{b,t \,:\; id_{b,t} = w} dy_{b,t}$$
#
# One row is special. Id 0 is *padding*: it fills short sentences up to the length of the batch, and means nothing. We
# agree that in `embed` it is looked up like any other word, and that in backward the row of padding gets no gradient,
# whatever `dy` holds there: `dtable[0]` is 0.
#
# One number at a time:

# %%
import math

import numpy as np

PAD = 0


def embed_slowly(ids, table):
    """The same as `embed` below, by loops."""
    B, T = ids.shape
    D = table.shape[1]
    y = np.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            for i in range(D):
                y[b, t, i] = math.sqrt(D) * table[ids[b, t], i]
    return y


def embed_backward_slowly(dy, ids, vocab_size):
    """The same as `embed_backward` below, by loops."""
    B, T, D = dy.shape
    dtable = np.zeros((vocab_size, D))
    for b in range(B):
        for t in range(T):
            if ids[b, t] == PAD:
                continue
            for i in range(D):
                dtable[ids[b, t], i] += math.sqrt(D) * dy[b, t, i]
    return dtable


# %% [markdown]
# ## Your turn
#
# Both without loops over positions (in this course loops of any kind are accepted, over words and features too).
# Forward is one line, for NumPy takes a whole array of ids between the brackets.
#
# Backward has a trap. The `+=` of the slow loop runs once a place. What does `+=` do when NumPy gets all the places at
# once, and an id stands among them twice? Try `a = np.zeros(3); a[np.array([1, 1, 1])] += 1; print(a)` before you
# write, and read the docstring of `np.add.at`. A product with a matrix of zeros and ones does it too.


# %%
def embed(ids, table):
    """Look up the row of each id, times the root of d_model.

    ids (B, T), integers from 0 to V - 1; table (V, D). Returns y (B, T, D). The inputs are not changed.
    """
    # BEGIN SOLUTION
    d_model = table.shape[1]
    return table[ids] * math.sqrt(d_model)
    # END SOLUTION


def embed_backward(dy, ids, vocab_size):
    """Return dtable (V, D), the gradient of the table, V = vocab_size. The row of padding, id 0, gets none.

    dy (B, T, D): the gradient of `embed`'s result. ids (B, T). The inputs are not changed.
    """
    # BEGIN SOLUTION
    D = dy.shape[-1]
    into = np.zeros((vocab_size, D), dy.dtype)
    np.add.at(into, ids, dy)
    into *= math.sqrt(D)
    into[PAD] = 0
    return into
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D, V):
    """Draw sentences with a repeated word, with padding at their ends, and in front of the first one's last word."""
    V = max(V, 2)  # padding and a word
    return {
        "ids": draw.ids(B, T, vocab_size=V, inside=True),
        "table": draw.normal(V, D),
        "dy": draw.normal(B, T, D),
        "vocab_size": V,
    }


def forward(student, ids, table):
    return student.embed(ids, table)


def backward(student, dy, ids, vocab_size):
    return student.embed_backward(dy, ids, vocab_size)


CALLS = [Call(forward, {"y": 2}), Call(backward, {"dtable": 5})]
SLOW = {"forward": embed_slowly, "backward": embed_backward_slowly}


def terms_of_dtable(dy, ids, vocab_size):
    """What the first word of each sentence gives, and what the others give."""
    first = embed_backward_slowly(dy[:, :1], ids[:, :1], vocab_size)
    return {
        "the first position's part": first,
        "the other positions' part": embed_backward_slowly(dy, ids, vocab_size) - first,
    }


TERMS = {"dtable": terms_of_dtable}

PREDICTION = Prediction(
    "A vocabulary of 37,000 words; one batch holds 3,000 ids of which 900 differ. How many rows of dtable are not 0?",
    {"a": "at most 900", "b": "3,000", "c": "37,000"},
    answer="a",
    because="A row that was not looked up does not touch the loss, and a word that occurs twice has one row, in which "
    "two gradients meet. In the paper's model all the rows get a gradient after all, but by way of the scores at the "
    "other end, which use the same table: that is the next exercise but one.",
)

MISTAKES = [
    Mistake(
        "repeats_lost",
        "of a word that occurs several times, only one place counts in dtable",
        Edit("np.add.at(into, ids, dy)", "into[ids] += dy"),
        ask="What does a[np.array([1, 1, 1])] += 1 add to a[1]? When your code meets a word again, what becomes of "
        "what it had?",
    ),
    Mistake(
        "repeats_lost_and_padding_trained",
        "of a word that occurs several times, only one place counts in dtable, and the row of padding has a gradient",
        Edit("np.add.at(into, ids, dy)", "into[ids] += dy"),
        Edit("into[PAD] = 0", "into[PAD] *= 1"),
        ask="What does a[np.array([1, 1, 1])] += 1 add to a[1]? When your code meets a word again, what becomes of "
        "what it had? And what did we agree on for id 0?",
    ),
    Mistake(
        "mean_over_places",
        "the row of a word that occurs several times gets the mean of its gradients",
        Edit(
            "into *= math.sqrt(D)",
            "into *= math.sqrt(D) / np.maximum(np.bincount(ids.reshape(-1), minlength=vocab_size), 1)[:, None]",
        ),
        ask="If a row moves by h and is used at two places, do the two changes of the loss add up?",
    ),
    Mistake(
        "no_root_in_backward",
        "a row of dtable is the plain sum of dy over the places of its word",
        Edit("into *= math.sqrt(D)", "into *= 1"),
        ask="Move a number of the table by h. By how much does the number of y move?",
    ),
    Mistake(
        "divided_in_backward",
        "dtable is divided by the root of d_model",
        Edit("into *= math.sqrt(D)", "into /= math.sqrt(D)"),
        ask="If y = 3 e, what is the derivative of the loss by e, given that by y?",
    ),
    Mistake(
        "padding_trained",
        "the row of padding has a gradient",
        Edit("into[PAD] = 0", "into[PAD] *= 1"),
        ask="What did we agree on for id 0?",
    ),
    Mistake(
        "left_at_padding",
        "where a sentence has padding inside, the words behind it are not in dtable",
        Edit("np.add.at(into, ids, dy)", "np.add.at(into, ids, dy * np.cumprod(ids != PAD, 1)[..., None])"),
        ask="A sentence is 5, 0, 7. Which of its words has your code seen when it is done with it?",
    ),
    Mistake(
        "no_root",
        "y is the rows as they stand in the table",
        Edit("return table[ids] * math.sqrt(d_model)", "return table[ids]"),
        ask="What does section 3.4 multiply the embeddings by?",
    ),
    Mistake(
        "d_model_itself",
        "y is the rows times d_model",
        Edit("math.sqrt(d_model)", "d_model"),
        ask="With d_model = 512 and numbers of size 1 / sqrt(512) in the table, of which size should those of y be?",
    ),
    Mistake(
        "root_of_V",
        "y is the rows times the root of the number of words",
        Edit("d_model = table.shape[1]", "d_model = table.shape[0]"),
        ask="Which of the two axes of the table is d_model?",
    ),
    Mistake(
        "padding_looked_up_as_zero",
        "y is 0 where the id is padding",
        Edit("return table[ids] *", "return (ids != PAD)[..., None] * table[ids] *"),
        ask="What did we agree on for padding in forward?",
    ),
    Mistake(
        "divided",
        "y is the rows, divided by the root of d_model",
        Edit("return table[ids] * math.sqrt(d_model)", "return table[ids] / math.sqrt(d_model)"),
        ask="The numbers in the table are small. Is the root there to make them larger or smaller?",
    ),
    Mistake(
        "column_of_padding",
        "the first column of dtable is 0, and not its first row",
        Edit("into[PAD] = 0", "into[:, PAD] = 0"),
        ask="Which axis of the table counts words, and which one features?",
    ),
    Mistake(
        "one_row_early",
        "every gradient is one row above that of its word",
        Edit("np.add.at(into, ids, dy)", "np.add.at(into, ids - 1, dy)"),
        ask="A vocabulary has V = 3 words. Which ids are there, and which row belongs to each?",
    ),
]

HINTS = [
    "Forward: what shape has table[ids], if ids has shape (B, T)? Backward: print a after a[np.array([1, 1, 1])] += 1.",
    "np.add.at(a, where, b) adds b to a at the places `where`, and does so again for each place that comes again. The "
    "shapes fit as they do in a[where]: with ids of (B, T), it wants values of (B, T, D).",
    "Make a dtable of zeros, one row for each word. Add dy to it at the ids with np.add.at. Then the same root as in "
    "forward, and last the agreement on padding: set its row to 0.",
]

ALTERNATIVES = [
    """
def embed(ids, table):
    return embed_slowly(ids, table)


def embed_backward(dy, ids, vocab_size):
    return embed_backward_slowly(dy, ids, vocab_size)
""",
    """
def one_hot(ids, vocab_size):
    return (ids[..., None] == np.arange(vocab_size)).astype(float)


def embed(ids, table):
    return np.einsum("btv,vd->btd", one_hot(ids, len(table)), table) * table.shape[-1] ** 0.5


def embed_backward(dy, ids, vocab_size):
    chosen = one_hot(ids, vocab_size) * (ids != PAD)[..., None]
    return np.einsum("btv,btd->vd", chosen, dy) * dy.shape[-1] ** 0.5
""",
    """
def embed(ids, table):
    return np.take(np.sqrt(table.shape[1]) * table, ids, axis=0)


def embed_backward(dy, ids, vocab_size):
    rows = [np.zeros(dy.shape[-1])]
    for word in range(1, vocab_size):
        rows.append(dy[ids == word].sum(0) * np.sqrt(dy.shape[-1]))
    return np.stack(rows)
""",
]
