# %% [markdown]
# # The generator and its tied table
#
# The decoder ends with one vector $x$ of $D$ numbers at every position. The model needs a score for
# each of the $V$ tokens that may come next, the *logits*, before a softmax makes them
# probabilities. That is one linear map from $D$ to $V$ numbers, the last box but one of the paper's
# figure 1. It is called the generator.
#
# Section 3.4 gives it no matrix of its own. The embedding has a table with one row of $D$ numbers
# for each token, so the score of token $v$ is how well $x$ points along row $v$:
#
# $$z_v = \sum_d x_d\, E_{vd}, \qquad E \text{ of shape } (V, D)$$
#
# There is no bias, and **no** $\sqrt{D}$: that factor belongs to the embedding, where the same rows
# are read.
#
# One table thus has three uses in a translation model: it reads the source tokens, reads the target
# tokens, and scores the next token. At each of them the loss depends on it, so its gradient is the
# sum of three parts. They arrive at different times: the generator's first, for backward begins at
# the end; the embeddings' last of all.
#
# - Generator: $E_{vd}$ moves the logit $z_v$ of every position of every sentence, by $x_d$.
# - Embedding, from an earlier exercise: $y = \sqrt{D}\, E_{id}$, so row `id` gets $\sqrt{D}\, dy$
#   each time that the id is read, and an id may be read many times.
#
# Here is all of it, one number at a time.

# %%
import math

import numpy as np


def generator_slowly(x, table):
    """The same as below, by loops."""
    B, T, D = x.shape
    V = len(table)
    logits = np.zeros((B, T, V))
    for b in range(B):
        for t in range(T):
            for v in range(V):
                for d in range(D):
                    logits[b, t, v] += x[b, t, d] * table[v, d]
    return logits


def generator_backward_slowly(dlogits, x, table):
    """The same as below, by loops."""
    B, T, D = x.shape
    V = len(table)
    dx = np.zeros((B, T, D))
    dtable = np.zeros((V, D))
    for b in range(B):
        for t in range(T):
            for v in range(V):
                for d in range(D):
                    dx[b, t, d] += dlogits[b, t, v] * table[v, d]
                    dtable[v, d] += dlogits[b, t, v] * x[b, t, d]
    return dx, dtable


def tied_gradient_slowly(dgenerator, src, dsrc, tgt, dtgt):
    """The same as below, by loops."""
    D = dgenerator.shape[1]
    gradient = 1.0 * dgenerator
    for ids, dy in ((src, dsrc), (tgt, dtgt)):
        for b in range(len(ids)):
            for t in range(len(ids[b])):
                for d in range(D):
                    gradient[ids[b, t], d] += dy[b, t, d] * math.sqrt(D)
    return gradient


# %% [markdown]
# ## Your turn
#
# Three functions, without loops over numbers. (In this course loops of any kind are accepted.) The
# first two are those of a linear layer whose weight is the table, transposed: write down the shapes
# of `dlogits`, `x` and `table`, and ask which products fit.
#
# The third gets what `generator_backward` returned as `dtable`, here called `dgenerator`, and the
# gradients that reached the outputs of both embeddings. It returns the gradient of the one table.
# Ids repeat, within a sentence and between source and target. There is no padding here: every id
# stands for a word.


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

    dlogits (B, T, V): the gradient of the logits. x (B, T, D) and table (V, D): what forward was
    given. Returns dx (B, T, D), dtable (V, D). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    V, D = table.shape
    dtable = dlogits.reshape(-1, V).T @ x.reshape(-1, D)
    return dlogits @ table, dtable
    # END SOLUTION


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    """Return the gradient of a table with three uses (V, D).

    dgenerator (V, D): the part of the generator. src (B, S), tgt (B, T): the ids that the
    embeddings have read. dsrc (B, S, D), dtgt (B, T, D): the gradients of what they returned,
    sqrt(D) * table[ids]. None of the inputs is changed: dgenerator stays as it is.
    """
    # BEGIN SOLUTION
    root = math.sqrt(dgenerator.shape[1])
    dsource = dsrc * root
    dtarget = dtgt * root
    total = 1.0 * dgenerator  # a copy, of floats
    np.add.at(total, src, dsource)
    np.add.at(total, tgt, dtarget)
    return total
    # END SOLUTION
