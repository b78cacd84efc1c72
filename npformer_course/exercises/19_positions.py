# id: positions | points: 8 | minutes: 30 | level: 2 | needs: embedding | notebook: 04

# %% [markdown]
# # The sinusoidal table
#
# Attention sees a set of vectors. Shuffle the words of a sentence, and its results are shuffled, nothing else: "the dog
# bites the man" and "the man bites the dog" are one to it. So the order has to be written into the vectors, and section
# 3.5 of the paper does it by adding to each word's vector a vector that stands for its place:
#
# $$PE_{(pos,\,2i)} = \sin\!\left(\frac{pos}{10000^{2i/d_{model}}}\right), \qquad
#   PE_{(pos,\,2i+1)} = \cos\!\left(\frac{pos}{10000^{2i/d_{model}}}\right), \qquad
#   i = 0, \dots, \tfrac{d_{model}}2 - 1$$
#
# Think of clocks. Each $i$ is a clock, and its hand has two coordinates, a sine and a cosine: that is why two features
# share one $i$. The first clock ($i = 0$) turns by one radian a position, the last one nearly ten thousand times more
# slowly. Fast hands tell neighbors apart, slow ones tell the beginning from the end. And moving on by $k$ positions
# turns every hand by an angle that depends on $k$ alone, wherever one starts: a linear map, which the paper hoped
# attention would find easy to use for "three words back".
#
# Two things that are easily misread:
#
# - The $2i$ in the exponent is the *number of the feature*, not of the pair. With $d_{model} = 6$ the three exponents
#   are $0, \tfrac26, \tfrac46$.
# - Sine and cosine of one clock stand side by side: sine at feature 0, cosine at 1, the next sine at 2, and so on.
#   (Some programs put all sines first, then all cosines. A model can learn with either, but weights trained with one
#   are useless with the other.)
#
# Positions count from 0. One number at a time:

# %%
import math

import numpy as np


def sinusoids_slowly(n_positions, d_model):
    """The same as `sinusoids` below, by loops."""
    table = np.zeros((n_positions, d_model))
    for pos in range(n_positions):
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            table[pos, 2 * i] = math.sin(angle)
            table[pos, 2 * i + 1] = math.cos(angle)
    return table


# %% [markdown]
# ## Your turn
#
# Two functions, without loops. (In this course loops of any kind are accepted, over features too.)
#
# `sinusoids` makes the table: a column of positions divided by a row of $d_{model}/2$ numbers gives all the angles at
# once, and slices with a step of 2 put sines and cosines in their places.
#
# `add_positions` adds it to a batch of sentences. Each sentence holds the positions from `start` on: in training
# `start` is 0, but when a sentence is written one word at a time, the word that comes in alone is not at position 0.
# The table is an argument and may hold more rows than are wanted, and not sines only: section 3.5 tried a learned one
# too.
#
# $$y_{b,t} = x_{b,t} + PE_{start + t}$$
#
# (Its backward is one line, which you need not write: $dx = dy$. The table of sines has nothing to learn.)


# %%
def sinusoids(n_positions, d_model):
    """Return the table of section 3.5, shape (n_positions, d_model), for positions 0 to n_positions - 1.

    d_model is even. Sines stand at the even features, cosines at the odd ones.
    """
    # BEGIN SOLUTION
    position = np.arange(n_positions)[:, None]
    even = np.arange(0, d_model, 2)
    angle = position / 10000 ** (even / d_model)
    waves = np.empty((n_positions, d_model))
    waves[:, 0::2] = np.sin(angle)
    waves[:, 1::2] = np.cos(angle)
    return waves
    # END SOLUTION


def add_positions(x, table, start):
    """Return x with a row of the table added at each position, (B, T, D). The inputs are not changed.

    x (B, T, D), table (at least start + T, D). Of every sentence, x[:, t] is at position start + t.
    """
    # BEGIN SOLUTION
    T = x.shape[1]
    return x + table[start : start + T]
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, K):
    """Draw sizes with D = 2 * K, sentences, and any table with some rows more than are wanted."""
    start, more = draw.whole(0, 3), int(draw.rng.integers(2, 7))
    return {
        "n_positions": T + 4,
        "d_model": 2 * K,
        "x": draw.normal(B, T, 2 * K),
        "table": draw.normal(start + T + more, 2 * K),
        "start": start,
    }


def make_table(student, n_positions, d_model):
    return student.sinusoids(n_positions, d_model)


def add(student, x, table, start):
    return student.add_positions(x, table, start)


def add_slowly(x, table, start):
    """Add one row at a time."""
    y = x.copy()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            y[b, t] += table[start + t]
    return y


CALLS = [Call(make_table, {"table": 5}), Call(add, {"y": 2})]
SLOW = {"make_table": sinusoids_slowly, "add": add_slowly}

PREDICTION = Prediction(
    "Take the dot product of the rows for positions 3 and 5, and that of the rows for positions 103 and 105. Which is "
    "larger?",
    {"a": "the first", "b": "the second", "c": "they are equal"},
    answer="c",
    because="For each clock it is sin a sin b + cos a cos b = cos(a - b), and a - b is the same 2 steps in both. So "
    "the dot product of two rows tells how far apart they are, and not where. Try it with your table.",
)

MISTAKES = [
    Mistake(
        "exponent_of_the_pair",
        "the exponent counts pairs: it goes from 0 nearly to 1/2, and so slow clocks are too fast, in a wide model "
        "up to a hundred times",
        Edit("(even / d_model)", "(even / 2 / d_model)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "doubled_twice",
        "the exponent goes from 0 nearly to 2",
        Edit("(even / d_model)", "(2 * even / d_model)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "a_clock_for_each_feature",
        "every feature has an exponent of its own, so that a cosine does not belong to the sine on its left",
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, 1::2] = np.cos(position / 10000 ** ((even + 1) / d_model))"),
        ask="Square features 0 and 1 of a row, then 2 and 3, and add each two up. What should come out, for hands of "
        "length 1?",
    ),
    Mistake(
        "halves_side_by_side",
        "all sines come first, then all cosines",
        Edit("waves[:, 0::2] = np.sin(angle)", "waves[:, : len(even)] = np.sin(angle)"),
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, len(even) :] = np.cos(angle)"),
        ask="Which feature is PE(pos, 2i + 1) for i = 0?",
    ),
    Mistake(
        "positions_from_1",
        "the first row is that of position 1",
        Edit("np.arange(n_positions)[:, None]", "np.arange(1, n_positions + 1)[:, None]"),
        ask="What do all sines and all cosines of position 0 have to be?",
    ),
    Mistake(
        "sine_and_cosine_swapped",
        "cosines stand at the even features, sines at the odd ones",
        Edit("np.sin(angle)", "np.cos(angle)"),
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, 1::2] = np.sin(angle)"),
        ask="What should feature 0 of position 0 be?",
    ),
    Mistake(
        "multiplied",
        "the position is multiplied by the power of 10000",
        Edit("angle = position / 10000 **", "angle = position * 10000.0 **"),
        ask="Should later features turn faster or more slowly than the first?",
    ),
    Mistake(
        "base_1000",
        "the slowest clocks are too fast: the base is 1000",
        Edit("angle = position / 10000", "angle = position / 1000"),
        ask="Count the noughts. Which number is raised to which power?",
    ),
    Mistake(
        "start_ignored",
        "the rows are added from position 0 on, wherever the sentence starts",
        Edit("table[start : start + T]", "table[:T]"),
        ask="A word comes in alone, as the sixth of its sentence. Which row does it want?",
    ),
    Mistake(
        "start_off_by_one",
        "every position gets the row of the next one",
        Edit("table[start : start + T]", "table[start + 1 : start + T + 1]"),
        ask="With start = 0, which row does the first word get?",
    ),
    Mistake(
        "the_last_rows",
        "the last rows of the table are added, wherever the sentence starts",
        Edit("table[start : start + T]", "table[len(table) - T :]"),
        ask="The table may hold more rows than are wanted. On which side of the wanted ones do they stand?",
    ),
    Mistake(
        "root_here",
        "x is multiplied by the root of d_model before the positions are added",
        Edit("return x + ", "return x * np.sqrt(x.shape[-1]) + "),
        ask="Where did the root of section 3.4 belong, and has x been there already?",
    ),
    Mistake(
        "a_row_for_each_sentence",
        "{part} is what comes out when all positions of a sentence get the same row of the table",
        Edit("x + table[start : start + T]", "x + table[(start + np.arange(len(x))) % len(table)][:, None]"),
        ask="Which axis of x counts the positions, and along which one does your table lie?",
    ),
    Mistake(
        "row_of_start",
        "every position of a sentence gets the row of its first",
        Edit("table[start : start + T]", "table[start]"),
        ask="How many rows of the table does a sentence of five words want?",
    ),
    Mistake(
        "up_to_1",
        "the exponents are spread evenly from 0 to 1, with both ends",
        Edit("(even / d_model)", "np.linspace(0, 1, d_model // 2)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "one_clock",
        "all clocks turn like the first, by one radian a position",
        Edit("(even / d_model)", "(even // d_model)"),
        ask="What is 4 // 6, and what is 4 / 6? Print your exponents.",
    ),
    Mistake(
        "own_table",
        "the rows of the sinusoids are added, whatever the table that came in holds",
        Edit("x + table[start : start + T]", "x + sinusoids(start + T, x.shape[-1])[start:]"),
        ask="Which of the three arguments have you not used, apart from its shape?",
    ),
    Mistake(
        "positions_not_added",
        "y is the rows of the table, without x",
        Edit("return x + table[start : start + T]", "return 0 * x + table[start : start + T]"),
        ask="y has two summands. Where does the word itself enter yours?",
    ),
]

HINTS = [
    "Print the angles of the slow loop for d_model = 6 and five positions as a table, 5 by 3. What do its rows have in "
    "common, and what its columns?",
    "The numbers 2i are np.arange(0, d_model, 2). Positions of shape (n_positions, 1), divided by powers of shape "
    "(d_model / 2,), broadcast to all the angles, (n_positions, d_model / 2).",
    "Make an empty table of the full shape. The slice 0::2 of its last axis takes the sines of all angles, the slice "
    "1::2 their cosines. For add_positions, a slice of T rows has shape (T, D) and fits every sentence as it is.",
]

ALTERNATIVES = [
    """
def sinusoids(n_positions, d_model):
    return sinusoids_slowly(n_positions, d_model)


def add_positions(x, table, start):
    return np.stack([x[:, t] + table[start + t] for t in range(x.shape[1])], axis=1)
""",
    """
def sinusoids(n_positions, d_model):
    rates = np.exp(-np.log(10000.0) * np.arange(d_model // 2) * 2 / d_model)
    angle = np.einsum("p,i->pi", np.arange(n_positions), rates)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n_positions, d_model)


def add_positions(x, table, start):
    rows = table[np.arange(start, start + x.shape[1])]
    return x + np.broadcast_to(rows, x.shape)
""",
    """
def sinusoids(n_positions, d_model):
    feature = np.arange(d_model)
    turn = np.power(10000.0, -(feature - feature % 2) / d_model)
    return np.sin(np.outer(np.arange(n_positions), turn) + feature % 2 * np.pi / 2)


def add_positions(x, table, start):
    y = x.copy()
    y += table[start:][: x.shape[1]]
    return y
""",
]
