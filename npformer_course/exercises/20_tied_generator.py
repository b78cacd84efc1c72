# id: tied_generator | points: 10 | minutes: 40 | level: 2 | needs: linear embedding | notebook: 07

# %% [markdown]
# # The generator and its tied table
#
# The decoder ends with one vector $x$ of $D$ numbers at every position. The model needs a score for each of the $V$
# tokens that may come next, the *logits*, before a softmax makes them probabilities. That is one linear map from $D$
# to $V$ numbers, the last box but one of the paper's figure 1. It is called the generator.
#
# Section 3.4 gives it no matrix of its own. The embedding has a table with one row of $D$ numbers for each token, so
# the score of token $v$ is how well $x$ points along row $v$:
#
# $$z_v = \sum_d x_d\, E_{vd}, \qquad E \text{ of shape } (V, D)$$
#
# There is no bias, and **no** $\sqrt{D}$: that factor belongs to the embedding, where the same rows are read.
#
# One table thus has three uses in a translation model: it reads the source tokens, reads the target tokens, and scores
# the next token. At each of them the loss depends on it, so its gradient is the sum of three parts. They arrive at
# different times: the generator's first, for backward begins at the end; the embeddings' last of all.
#
# - Generator: $E_{vd}$ moves the logit $z_v$ of every position of every sentence, by $x_d$.
# - Embedding, from an earlier exercise: $y = \sqrt{D}\, E_{id}$, so row `id` gets $\sqrt{D}\, dy$ each time that the
#   id is read, and an id may be read many times.
#
# Here is all of it, one number at a time.

# %%
import math

import numpy as np


def generator_slowly(x, table):
    """The same as below, by loops."""
    (B, T, D), V = x.shape, len(table)
    logits = np.zeros((B, T, V))
    for b in range(B):
        for t in range(T):
            for v in range(V):
                for d in range(D):
                    logits[b, t, v] += x[b, t, d] * table[v, d]
    return logits


def generator_backward_slowly(dlogits, x, table):
    """The same as below, by loops."""
    (B, T, D), V = x.shape, len(table)
    dx, dtable = np.zeros((B, T, D)), np.zeros((V, D))
    for b in range(B):
        for t in range(T):
            for v in range(V):
                for d in range(D):
                    dx[b, t, d] += dlogits[b, t, v] * table[v, d]
                    dtable[v, d] += dlogits[b, t, v] * x[b, t, d]
    return dx, dtable


def tied_gradient_slowly(dgenerator, src, dsrc, tgt, dtgt):
    """The same as below, by loops."""
    gradient, D = dgenerator.copy(), dgenerator.shape[1]
    for ids, dy in ((src, dsrc), (tgt, dtgt)):
        for b in range(len(ids)):
            for t in range(len(ids[b])):
                for d in range(D):
                    gradient[ids[b, t], d] += dy[b, t, d] * math.sqrt(D)
    return gradient


# %% [markdown]
# ## Your turn
#
# Three functions, without loops over numbers. (In this course loops of any kind are accepted.) The first two are those
# of a linear layer whose weight is the table, transposed: write down the shapes of `dlogits`, `x` and `table`, and ask
# which products fit.
#
# The third gets what `generator_backward` returned as `dtable`, here called `dgenerator`, and the gradients that
# reached the outputs of both embeddings. It returns the gradient of the one table. Ids repeat, within a sentence
# and between source and target. There is no padding here: every id stands for a word.


# %%
def generator(x, table):
    """Return the logits (B, T, V): the score of every token at every position.

    x (B, T, D): the decoder's output. table (V, D): one row for each token.
    """
    # BEGIN SOLUTION
    return x @ table.T
    # END SOLUTION


def generator_backward(dlogits, x, table):
    """Return the gradients of the generator.

    dlogits (B, T, V): the gradient of the logits. x (B, T, D) and table (V, D): what forward was given.
    Returns dx (B, T, D), dtable (V, D). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    V, D = table.shape
    dtable = dlogits.reshape(-1, V).T @ x.reshape(-1, D)
    return dlogits @ table, dtable
    # END SOLUTION


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    """Return the gradient of a table with three uses (V, D).

    dgenerator (V, D): the part of the generator. src (B, S), tgt (B, T): the ids that the embeddings have read.
    dsrc (B, S, D), dtgt (B, T, D): the gradients of what they returned, sqrt(D) * table[ids].
    None of the inputs is changed: dgenerator stays as it is.
    """
    # BEGIN SOLUTION
    root = math.sqrt(dgenerator.shape[1])
    total = dgenerator.copy()
    np.add.at(total, src, dsrc * root)
    np.add.at(total, tgt, dtgt * root)
    return total
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, S, D, V):
    """Draw what the generator sees on both ways, and what reaches the two embeddings."""
    V = max(V, 2)
    return {
        "x": draw.normal(B, T, D),
        "table": draw.normal(V, D),
        "dlogits": draw.normal(B, T, V),
        "dgenerator": draw.normal(V, D),
        "src": draw.ids(B, S, vocab_size=V + 1, pad=False) - 1,
        "dsrc": draw.normal(B, S, D),
        "tgt": draw.ids(B, T, vocab_size=V + 1, pad=False) - 1,
        "dtgt": draw.normal(B, T, D),
    }


def forward(student, x, table):
    return student.generator(x, table)


def backward(student, dlogits, x, table):
    return student.generator_backward(dlogits, x, table)


def tied(student, dgenerator, src, dsrc, tgt, dtgt):
    return student.tied_gradient(dgenerator, src, dsrc, tgt, dtgt)


CALLS = [
    Call(forward, {"logits": 2}),
    Call(backward, {"dx": 2, "dtable": 2}),
    Call(tied, {"tied gradient": 3}),
]
SLOW = {"forward": generator_slowly, "backward": generator_backward_slowly, "tied": tied_gradient_slowly}


def terms_of_tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    """The three uses of the table."""
    nothing = np.zeros_like(dgenerator)
    return {
        "the generator's part": dgenerator,
        "the source embedding's part": tied_gradient_slowly(nothing, src, dsrc, tgt, 0 * dtgt),
        "the target embedding's part": tied_gradient_slowly(nothing, src, 0 * dsrc, tgt, dtgt),
    }


TERMS = {"tied gradient": terms_of_tied_gradient}

PREDICTION = Prediction(
    "A token stands nowhere in the batch, neither in the source nor in the target. Does its row of the tied table get "
    "a gradient all the same?",
    {
        "a": "no: a row that is not read has no gradient",
        "b": "yes: it is scored at every position, though it is never right",
        "c": "only if its row resembles that of a token that is there",
    },
    answer="b",
    because="Every row takes part in every position's softmax, so the generator moves all V rows at every update. The "
    "embeddings move only the rows that they read.",
)

MISTAKES = [
    Mistake(
        "root_here_too",
        "{part} is the root of d_model times what it should be",
        Edit("return x @ table.T", "return math.sqrt(x.shape[-1]) * (x @ table.T)"),
        Edit("V, D = table.shape\n", "V, D = table.shape\n    dlogits = dlogits * math.sqrt(D)\n"),
        ask="Which of the three uses of the table does section 3.4 multiply by the root of d_model?",
    ),
    Mistake(
        "divided_by_root",
        "{part} is what it should be, divided by the root of d_model",
        Edit("return x @ table.T", "return (x @ table.T) / math.sqrt(x.shape[-1])"),
        Edit("V, D = table.shape\n", "V, D = table.shape\n    dlogits = dlogits / math.sqrt(D)\n"),
        ask="Attention divides its scores by a root. Does the text say that of these scores?",
    ),
    Mistake(
        "table_reshaped",
        "the logits are what comes out when the table gets the shape (D, V), and its numbers stay in their order",
        Edit("return x @ table.T", "return x @ table.reshape(table.shape[::-1])"),
        ask="Make a table of 2 rows and 3 columns. Which number is in row 0, column 1 of its transpose, and which in "
        "yours?",
    ),
    Mistake(
        "transposed",
        "dtable holds the right numbers in the wrong places: those of its transpose, read row by row",
        Edit(
            "dlogits.reshape(-1, V).T @ x.reshape(-1, D)",
            "(x.reshape(-1, D).T @ dlogits.reshape(-1, V)).reshape(V, D)",
        ),
        ask="A product of shape (D, V) fits into (V, D) after a reshape. Which number then is in row v, column d?",
    ),
    Mistake(
        "last_sentence_only",
        "dtable is the gradient of the last sentence alone",
        Edit("dlogits.reshape(-1, V).T @ x.reshape(-1, D)", "dlogits[-1].T @ x[-1]"),
        ask="Every sentence of the batch uses the table. What happens to the parts of the earlier ones?",
    ),
    Mistake(
        "averaged",
        "dtable is a mean over the positions",
        Edit("@ x.reshape(-1, D)\n", "@ x.reshape(-1, D) / x[..., 0].size\n"),
        ask="If one number of the table moves, do the changes of the loss at two positions add up?",
    ),
    Mistake(
        "embeddings_missing",
        "the tied gradient is the generator's part alone",
        Edit("np.add.at(total, src, dsrc * root)", ""),
        Edit("np.add.at(total, tgt, dtgt * root)", ""),
        ask="Change a row of the table. Does only the score change, or also what the model reads?",
    ),
    Mistake(
        "generator_missing",
        "the tied gradient holds the embeddings' parts alone",
        Edit("total = dgenerator.copy()", "total = np.zeros_like(dgenerator)"),
        ask="When the gradients of the embeddings arrive, something of this table's gradient is there already. Where "
        "did it go?",
    ),
    Mistake(
        "source_missing",
        "the tied gradient lacks what the source tokens give",
        Edit("np.add.at(total, src, dsrc * root)", ""),
        ask="How many of the model's two columns read tokens with this table?",
    ),
    Mistake(
        "source_twice",
        "{part} holds the source's part twice, and nothing of the target",
        Edit("np.add.at(total, tgt, dtgt * root)", "np.add.at(total, src, dsrc * root)"),
        ask="Which ids and which gradients does each of your lines name?",
    ),
    Mistake(
        "target_missing",
        "the tied gradient lacks what the target tokens give",
        Edit("np.add.at(total, tgt, dtgt * root)", ""),
        ask="How many of the model's two columns read tokens with this table?",
    ),
    Mistake(
        "root_forgotten",
        "the embeddings' parts of the tied gradient are too small by the root of d_model",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = 1"),
        ask="By how much does the output of the embedding move when a number of the table moves by 1?",
    ),
    Mistake(
        "repeats_lost",
        "of an id that stands several times in src, or in tgt, the tied gradient counts only one place there",
        Edit("np.add.at(total, src, dsrc * root)", "total[src] += dsrc * root"),
        Edit("np.add.at(total, tgt, dtgt * root)", "total[tgt] += dtgt * root"),
        ask="What does `a = np.zeros(3); a[[1, 1]] += 1` leave in a[1]? When your code meets an id again, what becomes "
        "of what it had?",
    ),
    Mistake(
        "embeddings_halved",
        "the tied gradient holds half of what source and target tokens give",
        Edit("np.add.at(total, src, dsrc * root)", "np.add.at(total, src, dsrc * root / 2)"),
        Edit("np.add.at(total, tgt, dtgt * root)", "np.add.at(total, tgt, dtgt * root / 2)"),
        ask="If a row of the table moves, do the changes of the loss by way of source and target add up?",
    ),
    Mistake(
        "softmax_taken",
        "{part} is what comes out when the softmax of the scores is taken as well",
        Edit(
            "return x @ table.T",
            "raised = np.exp(x @ table.T - (x @ table.T).max(-1, keepdims=True))\n"
            "    return raised / raised.sum(-1, keepdims=True)",
        ),
        ask="What are logits: scores, or the probabilities that are made of them?",
    ),
    Mistake(
        "first_sentence_only",
        "dtable is the gradient of the first sentence alone",
        Edit("dlogits.reshape(-1, V).T @ x.reshape(-1, D)", "dlogits[0].T @ x[0]"),
        ask="Every sentence of the batch uses the table. What happens to the parts of the later ones?",
    ),
    Mistake(
        "root_of_V",
        "the embeddings' parts of the tied gradient are multiplied by the root of the number of tokens",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = math.sqrt(dgenerator.shape[0])"),
        ask="Which of the two axes of the table is d_model?",
    ),
    Mistake(
        "root_divided",
        "the embeddings' parts of the tied gradient are divided by the root of d_model",
        Edit("root = math.sqrt(dgenerator.shape[1])", "root = 1 / math.sqrt(dgenerator.shape[1])"),
        ask="By how much does the output of the embedding move when a number of the table moves by 1?",
    ),
    Mistake(
        "row_of_padding_cleared",
        "the row of id 0 is 0 in the tied gradient",
        Edit("    return total\n", "    total[0] = 0\n    return total\n"),
        ask="Is there padding in this exercise, and what does id 0 stand for here?",
    ),
]

HINTS = [
    "Forget the batch: for one position, logits (V,) are the table (V, D) times x (D,). Which product gives a vector "
    "of D numbers out of dlogits (V,)? And which gives (V, D) out of dlogits (V,) and x (D,)?",
    "For dtable, lay all positions of all sentences end to end, (B T, V) and (B T, D): one product of two matrices "
    "then adds up over them. For the tied gradient, start from a copy of the generator's part.",
    "Transpose dlogits of shape (B T, V) and multiply it by x of shape (B T, D). In the tied gradient, NumPy's "
    "np.add.at(array, ids, values) adds for every id, also for repeated ones; the values are dy times the root of D.",
]

ALTERNATIVES = [
    """
def generator(x, table):
    return generator_slowly(x, table)


def generator_backward(dlogits, x, table):
    return generator_backward_slowly(dlogits, x, table)


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    return tied_gradient_slowly(dgenerator, src, dsrc, tgt, dtgt)
""",
    """
def generator(x, table):
    return np.einsum("btd,vd->btv", x, table)


def generator_backward(dlogits, x, table):
    return np.einsum("btv,vd->btd", dlogits, table), np.einsum("btv,btd->vd", dlogits, x)


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    V, D = dgenerator.shape
    onehot_src, onehot_tgt = np.eye(V)[src], np.eye(V)[tgt]
    read = np.tensordot(onehot_src, dsrc, ((0, 1), (0, 1))) + np.tensordot(onehot_tgt, dtgt, ((0, 1), (0, 1)))
    return dgenerator + D**0.5 * read
""",
    """
def generator(x, table):
    return (table @ x.reshape(-1, x.shape[-1]).T).T.reshape(*x.shape[:-1], -1)


def generator_backward(dlogits, x, table):
    dtable = 0
    for b in range(len(x)):
        dtable = dtable + (x[b].T @ dlogits[b]).T
    return (table.T @ dlogits.swapaxes(1, 2)).swapaxes(1, 2), dtable


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    ids = np.concatenate([src, tgt], axis=1).reshape(-1)
    dy = np.concatenate([dsrc, dtgt], axis=1).reshape(len(ids), -1)
    rows = [dy[ids == v].sum(0) for v in range(len(dgenerator))]
    return dgenerator + np.array(rows) * math.sqrt(dy.shape[1])
""",
]
