# id: numpy | points: 7 | minutes: 10 | level: 1 | needs: - | notebook: -

# %% [markdown]
# # The NumPy you need
#
# **How an exercise is worked.** It is one file: prose, some code that is given, and a few functions of yours,
# which for now only raise `NotImplementedError`. Replace that line by your own and save. If `npformer course` is running
# in this folder, the file is checked as soon as it is saved. (If you work in the exercise's notebook instead of this
# file, run your cell and then the cell below it, which has `.check()`.)
# Your functions are called with random arrays, and the check lists what is right, and of what is not right as much as
# can be found out. Where a message gives a shape in letters, such as $(T, D)$, each letter is a length that was drawn
# at random. Print what you like, add functions of your own, ask for a hint (`npformer course hint`, or `.hint()`); try
# as often as you wish. Given functions whose name ends in `_slowly` say in loops what is to come out: read them and
# compare with them, but do not call them from yours, since they raise while an answer is checked.
#
# **What is accepted, in every exercise.** A correct answer with loops passes too, if no call takes longer than a few
# seconds: where a text says "without loops", that is what you are to learn, and not what is checked. Where several
# results are returned, a list is as good as a tuple. A result may be a view of an argument, or the argument itself
# where nothing has to change. The arguments must not be changed unless the text says so: most exercises have a point
# for that.
#
# Nearly all code of a Transformer is three things done to whole arrays. Here they are, on the kind of array that you
# will meet most: $x$ of shape $(B, T, D)$ has $B$ sentences, $T$ positions in each, and $D$ numbers, or *features*, at
# each position. All asserts below hold. Change a number in one, and running it ends with an error.
#
# **Axes.** Each place in the shape is an axis: 0 for sentences, 1 for positions, 2 for features. `x[b, t]` is all of
# the last axis at one place, an array $(D,)$. A sum, mean or maximum *along* an axis makes that axis disappear, unless
# `keepdims=True` leaves it there with length 1. Axis -1 is the last one, whatever the number of axes:

# %%
import numpy as np

x = np.arange(12.0).reshape(2, 3, 2)  # B = 2, T = 3, D = 2
assert x[1, 0].tolist() == [6, 7]
assert x.sum(-1).shape == (2, 3)
assert x.sum(-1, keepdims=True).shape == (2, 3, 1)
assert x.sum(1).shape == (2, 2)


# %% [markdown]
# **Broadcasting.** In `x + y` the two shapes are compared from the right. Lengths must be equal, or one of them is 1 or
# missing: then its numbers are repeated along that axis. So $(2, 3, 2)$ goes with $(2,)$, with $(3, 1)$ and with
# $(2, 3, 1)$, but not with $(2, 3)$. `None` inside the brackets adds an axis of length 1 in that place, and `...` means
# all axes that are not written: for `w` of shape $(2, 3)$ both `w[:, :, None]` and `w[..., None]` are $(2, 3, 1)$.
#
# When two lengths happen to be equal, the wrong axes can be matched without an error. This is why every check of this
# course draws different lengths, and equal ones too.

# %%
w = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
assert w[..., None].shape == w[:, :, None].shape == (2, 3, 1)
assert (x + w[..., None])[1, 2].tolist() == [10 + 5, 11 + 5]
assert (x + np.array([0, 100]))[0, 0].tolist() == [0, 101]


# %% [markdown]
# **Fancy indexing.** An array of integers in the brackets picks: with a table of shape $(V, D)$ and ids of shape
# $(B, T)$, `table[ids]` is $(B, T, D)$, a row for each id. Several arrays of integers are broadcast against each other,
# and each place of the result takes *one* number, at the indices that stand there in all of them:

# %%
table = np.array([[0, 1, 2], [10, 11, 12]])
row, column = np.array([[0], [1]]), np.array([2, 0])  # (2, 1) and (2,) make (2, 2)
assert table[np.array([1, 1, 0])].shape == (3, 3)
assert table[row, column].tolist() == [[2, 0], [12, 10]]


# %% [markdown]
# ## Your turn
#
# Write three functions, a line or two each, without loops. `center` subtracts at each position the mean of its
# features, `scale` multiplies all features of a position by one number, and `pick` takes one score at each position:
#
# $$\mathrm{center}(x)_{btd} = x_{btd} - \frac1D \sum_{i=1}^D x_{bti} \qquad
#   \mathrm{scale}(x, w)_{btd} = w_{bt}\, x_{btd} \qquad
#   \mathrm{pick}(s, ids)_{bt} = s_{b,\, t,\, ids_{bt}}$$
#
# These loops say the same:


# %%
def center_slowly(x):
    y = np.zeros(x.shape)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            mean = sum(x[b, t, d] for d in range(x.shape[2])) / x.shape[2]
            for d in range(x.shape[2]):
                y[b, t, d] = x[b, t, d] - mean
    return y


def scale_slowly(x, weights):
    y = np.zeros(x.shape)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            for d in range(x.shape[2]):
                y[b, t, d] = weights[b, t] * x[b, t, d]
    return y


def pick_slowly(scores, ids):
    y = np.zeros(ids.shape)
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            y[b, t] = scores[b, t, ids[b, t]]
    return y


# %%
def center(x):
    """Return x (B, T, D) less the mean of the features of each position. x itself stays as it was."""
    # BEGIN SOLUTION
    return x - x.mean(-1, keepdims=True)
    # END SOLUTION


def scale(x, weights):
    """Return x (B, T, D) with all features of a position multiplied by its weight. weights: (B, T)."""
    # BEGIN SOLUTION
    return weights[..., None] * x
    # END SOLUTION


def pick(scores, ids):
    """Return the score of one id at each position, (B, T). scores: (B, T, V). ids: integers (B, T)."""
    # BEGIN SOLUTION
    sentences, positions = np.arange(ids.shape[0])[:, None], np.arange(ids.shape[1])
    return scores[sentences, positions, ids]
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D, V):
    """Draw an array with a weight for each position, and scores with an id for each position."""
    return {
        "x": draw.normal(B, T, D) + 1,
        "weights": draw.gain(B, T),
        "scores": draw.normal(B, T, V),
        "ids": draw.ids(B, T, vocab_size=V, pad=False),
    }


def on_center(student, x):
    return student.center(x)


def on_scale(student, x, weights):
    return student.scale(x, weights)


def on_pick(student, scores, ids):
    return student.pick(scores, ids)


CALLS = [Call(on_center, {"center": 2}), Call(on_scale, {"scale": 2}), Call(on_pick, {"pick": 2})]
SLOW = {"on_center": center_slowly, "on_scale": scale_slowly, "on_pick": pick_slowly}

PREDICTION = Prediction(
    "x has the shape (4, 4, 4), and you write x - x.mean(-1), without keepdims. What happens?",
    {
        "a": "an error: the shapes (4, 4, 4) and (4, 4) do not fit",
        "b": "the right result, since NumPy adds the axis that is missing",
        "c": "no error, and features lose the means of other positions",
    },
    answer="c",
    because="Compared from the right, (4, 4) goes with the last two axes, positions and features, although the axes of "
    "the means are sentences and positions. With the shape (2, 3, 4) it would be an error, which is better luck.",
)

MISTAKES = [
    Mistake(
        "sentences_fastest",
        "{part} is what comes out when the rows are counted with the sentences fastest, position after position",
        Edit(
            "return scores[sentences, positions, ids]",
            "return scores.reshape(-1, scores.shape[-1])[sentences + len(ids) * positions, ids]",
        ),
        ask="After scores.reshape(B * T, V), what is in the second row: the next position or the next sentence?",
    ),
    Mistake(
        "mean_of_everything",
        "one mean of all numbers is subtracted everywhere",
        Edit("x.mean(-1, keepdims=True)", "x.mean()"),
        ask="How many means does the formula have: one, or one for each b and t?",
    ),
    Mistake(
        "mean_over_positions",
        "each feature loses its mean over the positions of the sentence",
        Edit("x.mean(-1, keepdims=True)", "x.mean(1, keepdims=True)"),
        ask="Over which of the three letters does the sum of the formula run, and which axis is that?",
    ),
    Mistake(
        "mean_over_sentences",
        "each number loses its mean over the sentences",
        Edit("x.mean(-1, keepdims=True)", "x.mean(0)"),
        ask="Over which of the three letters does the sum of the formula run, and which axis is that?",
    ),
    Mistake(
        "sum_for_mean",
        "the sum of the features is subtracted, not their mean",
        Edit("x.mean(-1, keepdims=True)", "x.sum(-1, keepdims=True)"),
        ask="Which factor has the sum in the formula?",
    ),
    Mistake(
        "divided_by_positions",
        "the sum of the features of a position is divided by the number of positions",
        Edit("x.mean(-1, keepdims=True)", "x.sum(-1, keepdims=True) / x.shape[1]"),
        ask="How many numbers are added up for one mean, and what is their sum divided by?",
    ),
    Mistake(
        "mean_alone",
        "what comes is the mean at each position, and nothing is subtracted from anything",
        Edit("return x - x.mean(-1, keepdims=True)", "return x.mean(-1, keepdims=True)"),
        ask="What should the features of one position add up to, after center?",
    ),
    Mistake(
        "weights_added",
        "the weights are added, not multiplied",
        Edit("weights[..., None] * x", "weights[..., None] + x"),
        ask="What should come out where the weight is 0?",
    ),
    Mistake(
        "one_weight_per_sentence",
        "all positions of a sentence are multiplied by the weight of its first",
        Edit("weights[..., None] * x", "weights[:, :1, None] * x"),
        ask="How many different weights does one sentence have?",
    ),
    Mistake(
        "weights_normalized",
        "the weights of each sentence are divided by their sum first",
        Edit("weights[..., None] * x", "(weights / weights.sum(1, keepdims=True))[..., None] * x"),
        ask="Double all weights of a sentence. What should happen to the result of scale, and what happens to yours?",
    ),
    Mistake(
        "positions_summed",
        "what comes is the sum over the positions of each sentence",
        Edit("return weights[..., None] * x", "return (weights[..., None] * x).sum(1)"),
        ask="Is there a sum in the formula of scale?",
    ),
    Mistake(
        "every_id_everywhere",
        "each position has the scores of all ids of the batch, not of its own alone",
        Edit("scores[sentences, positions, ids]", "scores[:, :, ids]"),
        ask="A colon is no array of integers: with which of the ids does it combine each position?",
    ),
    Mistake(
        "ids_of_the_first_sentence",
        "every sentence takes the ids of the first one",
        Edit("scores[sentences, positions, ids]", "scores[sentences, positions, ids[0]]"),
        ask="Which ids does the second sentence have, and where do you look at them?",
    ),
    Mistake(
        "first_positions_scores",
        "all ids pick from the scores of the first position of their sentence",
        Edit("scores[sentences, positions, ids]", "scores[sentences, 0, ids]"),
        ask="Each position has scores of its own. Which of them does your index take?",
    ),
    Mistake(
        "largest_score",
        "what comes is the largest score of each position, whatever its id",
        Edit("scores[sentences, positions, ids]", "scores.max(-1)"),
        ask="Change an id. Does your result change?",
    ),
    Mistake(
        "standardized",
        "the distances from the mean are divided by their spread",
        Edit("x - x.mean(-1, keepdims=True)", "(x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)"),
        ask="Double all numbers of x. What should happen to the result of center, and what happens to yours?",
    ),
    Mistake(
        "scores_in_one_row",
        "the ids are taken for places in the scores of the whole batch, laid out in one row",
        Edit("scores[sentences, positions, ids]", "scores.reshape(-1)[ids]"),
        ask="How many axes do the scores have, and which of them does your index know of?",
    ),
    Mistake(
        "features_summed",
        "what comes is the sum over the features of each position",
        Edit("return weights[..., None] * x", "return (weights[..., None] * x).sum(-1)"),
        ask="Is there a sum in the formula of scale?",
    ),
    Mistake(
        "score_before",
        "each position has the score one place before that of its id, and the last one for the id 0",
        Edit("scores[sentences, positions, ids]", "scores[sentences, positions, ids - 1]"),
        ask="Which entry of a row of scores belongs to the id 0?",
    ),
    Mistake(
        "mean_over_sentence",
        "one mean of the whole sentence is subtracted at all of its positions",
        Edit("x.mean(-1, keepdims=True)", "x.mean((1, 2), keepdims=True)"),
        ask="How many means does the formula have for one sentence?",
    ),
    Mistake(
        "mean_over_batch",
        "each feature loses its mean over all positions of all sentences",
        Edit("x.mean(-1, keepdims=True)", "x.mean((0, 1))"),
        ask="Over which of the three letters does the sum of the formula run, and which axis is that?",
    ),
    Mistake(
        "mean_added",
        "the mean is added",
        Edit("x - x.mean", "x + x.mean"),
        ask="What should the features of one position add up to, after center?",
    ),
    Mistake(
        "index_of_largest",
        "what comes is the id with the largest score, and no score",
        Edit("scores[sentences, positions, ids]", "scores.argmax(-1)"),
        ask="Change an id. Does your result change?",
    ),
    Mistake(
        "whole_numbers",
        "the scores are cut to whole numbers",
        Edit("scores[sentences, positions, ids]", "scores[sentences, positions, ids].astype(int)"),
        ask="Which type has the array that you fill, and what does it make of 0.7?",
    ),
]

HINTS = [
    "For center, write down the shape of the mean, with and without keepdims, below the shape of x. For scale, write "
    "(B, T) below (B, T, D), flush right: which axis has to be added to the weights, and where?",
    "For pick you need three arrays of integers that broadcast to (B, T), one for each axis of scores. The last one is "
    "ids. The first says b and must not depend on t: what shape has it? np.arange makes 0, 1, 2 and so on.",
    "mean(-1, keepdims=True) keeps an axis of length 1; [..., None] adds one. np.arange(B)[:, None] is (B, 1), "
    "np.arange(T) is (T,), and with ids (B, T) all three fit.",
]

ALTERNATIVES = [
    """
def center(x):
    B, T, D = x.shape
    return x - (np.sum(x, axis=2) / D).reshape(B, T, 1)

def scale(x, weights):
    return np.einsum("bt,btd->btd", weights, x)

def pick(scores, ids):
    return np.take_along_axis(scores, ids[:, :, None], axis=2)[:, :, 0]
""",
    """
def center(x):
    y = x.copy()
    y -= np.expand_dims(x.mean(axis=-1), -1)
    return y

def scale(x, weights):
    return (x.T * weights.T).T

def pick(scores, ids):
    one_hot = np.arange(scores.shape[-1]) == ids[..., None]
    return (scores * one_hot).sum(-1)
""",
    """
def center(x):
    return np.array([[row - row.mean() for row in sentence] for sentence in x])

def scale(x, weights):
    return np.array([[w * row for w, row in zip(*pair)] for pair in zip(weights, x)])

def pick(scores, ids):
    return scores.reshape(-1, scores.shape[-1])[np.arange(ids.size), ids.ravel()].reshape(ids.shape)
""",
]
