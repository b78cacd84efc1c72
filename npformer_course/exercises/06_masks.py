# id: masks | points: 8 | minutes: 30 | level: 1 | needs: - | notebook: 01

# %% [markdown]
# # Masks: who may look at whom
#
# Attention lets every position look at every other. Two kinds of looks must not be.
#
# **Padding.** A batch is one array, so its sentences must be equally long, and the shorter ones are filled up with a
# padding id. These are not words, and nobody may look at them.
#
# **The future.** The decoder learns to say the next word at *all* positions at once (section 3.1, last sentences;
# section 3.2.3). If position $t$ could look at $t + 1$, it would find the very word that it is to predict, and would
# learn to copy. So $t$ sees $0 \dots t$. It does see itself: what is at $t$ is the word that was written last,
# the next one is to be found.
#
# A mask says this in booleans. **True means: may attend.** (Other libraries write True for "hidden"; here it is never
# so.) In the scores of attention, the last axis but one belongs to the position that looks, the *query*, $T$ of them,
# and the last axis to the position that is looked at, the *key*, $S$ of them:
#
# $$\mathrm{mask}[b, t, s] = \text{in sentence } b\text{, query } t \text{ may look at key } s$$
#
# Where the answer does not depend on an axis, that axis has length 1, or is left out in front, and NumPy broadcasts:
#
# - padding depends on sentence and key, not on the query, in the encoder and from the decoder to the source: $(B, 1,
#   S)$;
# - the future depends on query and key, in every sentence alike: $(T, T)$;
# - in the decoder both hold together, and there the sentence looks at itself, so $S = T$: $(B, T, T)$.
#
# What about queries that are padding themselves? They are *not* blocked: they see the same keys as everybody else (in
# the decoder: those up to their own position). Whatever they compute, nobody looks at it, and the loss leaves them out.
# To block them would make rows without a single True, and those have no weights at all.
#
# As an example, the ids 7 5 8 0 0 with 0 for padding: their row of the padding mask is True True True False False, and
# position 4, which is padding, sees 0, 1 and 2. Here are all three, one look at a time:


# %%
import numpy as np


def masks_slowly(ids, pad_id):
    """What `padding_mask`, `causal_mask` and `target_mask` below return for ids (B, T)."""
    B, T = ids.shape
    padding = np.zeros((B, 1, T), bool)
    causal = np.zeros((T, T), bool)
    target = np.zeros((B, T, T), bool)
    for key in range(T):
        for b in range(B):
            padding[b, 0, key] = ids[b, key] != pad_id
        for query in range(T):
            causal[query, key] = key <= query
            for b in range(B):
                target[b, query, key] = ids[b, key] != pad_id and key <= query
    return padding, causal, target


# %% [markdown]
# ## Your turn
#
# Write the three without loops. Which id means padding is given by `pad_id`: in npformer it is 0, but the functions
# must be right for every other, and then 0 is a word. The results are booleans.


# %%
def padding_mask(ids, pad_id):
    """Return a mask (B, 1, S), True where a key is no padding.

    ids: integers (B, S). `masks_slowly` calls this length T, because all three masks are of one sentence there.
    """
    # BEGIN SOLUTION
    return (ids != pad_id)[:, None, :]
    # END SOLUTION


def causal_mask(length):
    """Return a mask (length, length), True where a query may look at a key: at itself and what is before it."""
    # BEGIN SOLUTION
    return np.tril(np.ones((length, length), bool))
    # END SOLUTION


def target_mask(ids, pad_id):
    """Return a mask (B, T, T) for a decoder's attention to its own sentence: no padding, no future.

    ids: integers (B, T).
    """
    # BEGIN SOLUTION
    real = padding_mask(ids, pad_id)
    return real & causal_mask(ids.shape[1])
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, V):
    """Draw ids whose padding is not 0, and in which 0 is a word."""
    ids = draw.ids(B, T, vocab_size=max(V, 2))
    pad_id = int(ids[0, 0])
    renamed = np.where(ids == 0, pad_id, np.where(ids == pad_id, 0, ids))
    return {"ids": renamed, "pad_id": pad_id, "length": T}


def padding(student, ids, pad_id):
    return student.padding_mask(ids, pad_id)


def causal(student, length):
    return student.causal_mask(length)


def target(student, ids, pad_id):
    return student.target_mask(ids, pad_id)


CALLS = [Call(padding, {"padding_mask": 2}), Call(causal, {"causal_mask": 2}), Call(target, {"target_mask": 3})]
SLOW = {
    "padding": lambda ids, pad_id: masks_slowly(ids, pad_id)[0],
    "causal": lambda length: masks_slowly(np.zeros((1, length), int), 0)[1],
    "target": lambda ids, pad_id: masks_slowly(ids, pad_id)[2],
}

PREDICTION = Prediction(
    "Padding is at the end of a sentence. In the decoder's mask, leave the padding out and keep the future "
    "hidden: for which queries does the mask change?",
    {
        "a": "for all of them",
        "b": "only for those that are padding themselves",
        "c": "only for the last word of each sentence",
    },
    answer="b",
    because="Padding at the end is the future of every word, so it is hidden from words already. Only padding has "
    "padding in its past. In an encoder, where nothing hides the future, it is another matter.",
)

MISTAKES = [
    Mistake(
        "padding_inverted",
        "True stands only where padding is",
        Edit("ids != pad_id", "ids == pad_id"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "zero_is_padding",
        "the mask does not depend on pad_id: the id 0 is hidden",
        Edit("ids != pad_id", "ids != 0"),
        ask="In another vocabulary padding has the id 3, and 0 is a word. What does your mask hide there?",
    ),
    Mistake(
        "causal_inverted",
        "True stands only where the future is",
        Edit("return np.tril(np.ones((length, length), bool))", "return ~np.tril(np.ones((length, length), bool))"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "diagonal_blocked",
        "no position sees itself, and the first one sees nothing at all",
        Edit("np.tril(np.ones((length, length), bool))", "np.tril(np.ones((length, length), bool), -1)"),
        ask="The first position has no past. What is its attention an average of?",
    ),
    Mistake(
        "past_hidden",
        "the past is hidden, and the future is not",
        Edit("np.tril(np.ones((length, length), bool))", "np.triu(np.ones((length, length), bool))"),
        ask="Which axis belongs to the position that looks? Read the row of the first query aloud.",
    ),
    Mistake(
        "one_too_far",
        "the future begins one position too late: the next word is taken for the past",
        Edit("np.tril(np.ones((length, length), bool))", "np.tril(np.ones((length, length), bool), 1)"),
        ask="Which word is position t to predict, and where does that word stand?",
    ),
    Mistake(
        "queries_padded",
        "queries that are padding see nothing: their rows hold no True",
        Edit("real = padding_mask(ids, pad_id)", "real = padding_mask(ids, pad_id).swapaxes(1, 2)"),
        ask="Along which axis of the scores lie the positions that are looked at, and along which those that look?",
    ),
    Mistake(
        "one_is_enough",
        "a look is allowed as soon as one of the two masks allows it",
        Edit("return real & causal_mask", "return real | causal_mask"),
        ask="A word of the future is no padding. May it be seen?",
    ),
    Mistake(
        "padding_seen",
        "padding is hidden only where it is in the future",
        Edit("return real & causal_mask", "return (real | True) & causal_mask"),
        ask="Take the last query of a sentence that ends in two paddings. Which keys may it look at?",
    ),
    Mistake(
        "ids_above_padding",
        "only ids above pad_id count as words",
        Edit("ids != pad_id", "ids > pad_id"),
        ask="In another vocabulary padding has the id 3. What does your mask make of the words 1 and 2?",
    ),
    Mistake(
        "future_seen",
        "the future is seen: only padding is hidden",
        Edit("return real & causal_mask(ids.shape[1])", "return real & np.ones((ids.shape[1], ids.shape[1]), bool)"),
        ask="Take the first query. Which keys may it look at, and which does it look at?",
    ),
    Mistake(
        "target_inverted",
        "True stands only where a look is forbidden",
        Edit("return real & causal_mask(ids.shape[1])", "return ~(real & causal_mask(ids.shape[1]))"),
        ask="What does True mean in a mask of this course?",
    ),
    Mistake(
        "repeated_for_each_query",
        "the row of each sentence stands T times, once for each query, where one with an axis of length 1 is expected",
        Edit("return (ids != pad_id)[:, None, :]", "return np.repeat((ids != pad_id)[:, None, :], ids.shape[1], 1)"),
        ask="On which of the three axes does padding not depend, and how long is that axis in the docstring?",
    ),
]

HINTS = [
    "Padding: compare the ids with pad_id first, which gives (B, S). Then an axis of length 1 has to come between the "
    "two: x[:, None] adds one. Future: write the mask for three positions on paper, query by query.",
    "The future's mask has True on the diagonal and below it. NumPy has a function that keeps just that triangle of a "
    "matrix, and np.arange compared with np.arange, one of them as a column, gives it too.",
    "For the decoder you need no new comparison: you have a (B, 1, T) and a (T, T), both must allow the look, and "
    "broadcasting makes (B, T, T) of them. For booleans the operator is &.",
]

ALTERNATIVES = [
    """
def padding_mask(ids, pad_id):
    B, S = ids.shape
    return np.not_equal(ids, pad_id).reshape(B, 1, S)

def causal_mask(length):
    t = np.arange(length)
    return t[:, None] >= t

def target_mask(ids, pad_id):
    hidden = (ids == pad_id)[:, None, :] | ~causal_mask(ids.shape[1])
    return np.logical_not(hidden)
""",
    """
def padding_mask(ids, pad_id):
    return np.array([[[id != pad_id for id in row]] for row in ids.tolist()])

def causal_mask(length):
    return np.array([[key <= query for key in range(length)] for query in range(length)])

def target_mask(ids, pad_id):
    return np.array([[[k <= q and row[k] != pad_id for k in range(len(row))] for q in range(len(row))] for row in ids])
""",
    """
def padding_mask(ids, pad_id):
    return np.expand_dims(ids != pad_id, 1)

def causal_mask(length):
    return ~np.triu(np.ones((length, length)), k=1).astype(bool)

def target_mask(ids, pad_id):
    allowed = np.repeat(causal_mask(ids.shape[1])[None], len(ids), axis=0)
    allowed[np.repeat(padding_mask(ids, pad_id), ids.shape[1], axis=1) == False] = False
    return allowed
""",
]
