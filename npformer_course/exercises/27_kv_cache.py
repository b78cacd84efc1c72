# id: kv_cache | points: 15 | minutes: 50 | level: 3 | needs: multi_head positions | notebook: 08b

# %% [markdown]
# # The cache: keys and values are made once
#
# To write token $t$, a decoder reads all $t$ tokens so far, computes every position again, and looks at the last one
# only. That is a waste. Under the causal mask (section 3.2.3) no position ever sees a later one, so the keys and
# values of the earlier positions are today what they were a step ago. Keep them, and a step computes *one* position:
# its query, which looks at all keys so far, and its own key and value, which are added to the cache. The numbers that
# come out are the same.
#
# Three things change when a position comes alone:
#
# - It needs to know *where* it is. The sinusoidal table is added from row `start` on, not from row 0.
# - The mask is no longer a square. Often several positions come at once, the words of a prompt for instance: $N$ new
#   ones behind $L$ old ones. New position $i$ (from 0) may look at all old ones, at the new ones before it, and at
#   itself. The mask is $(N, L + N)$.
# - Cross-attention has keys and values too, those of the memory. They do not depend on what is written: they are
#   projected once, before the first step, and never grow.
#
# What you are given: heads, the weighted average of section 3.2.1, and the table of section 3.5.

# %%
import numpy as np


def split_heads(x, n_heads):
    """(B, T, H * K) -> (B, H, T, K)."""
    B, T, D = x.shape
    return x.reshape(B, T, n_heads, D // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """(B, H, T, K) -> (B, T, H * K)."""
    B, H, T, K = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(B, T, H * K)


def attend(q, k, v, mask):
    """softmax(q k^T / sqrt(K)) v; mask is True where attention may go, and broadcasts to (B, H, T, S)."""
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    peak = scores.max(-1, keepdims=True)
    powers = np.where(mask, np.exp(scores - np.where(np.isfinite(peak), peak, 0)), 0)
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300) @ v


def sinusoids(n_positions, d_model):
    """The table of positions 0 .. n_positions - 1: (n_positions, d_model)."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n_positions, d_model)


# %% [markdown]
# And this is what your steps must give, all positions at once: the two attentions of a decoder layer, each with its
# residual. (The feed-forward network and the normalizations look at one position at a time anyway and need no cache,
# so they are left out. So are the biases.) The four matrices $W^Q, W^K, W^V, W^O$ of an attention are stacked in one
# array, `W` $(4, D, D)$ for self-attention and `U` $(4, D, D)$ for cross-attention, with all heads side by side.


# %%
def layer_at_once(x, memory, W, U, n_heads, mask):
    """Both attentions: x (B, T, D), memory (B, S, D), mask (B, S), True where it is no padding -> (B, T, D)."""
    T, D = x.shape[1:]
    x = x + sinusoids(T, D)
    q, k, v = split_heads(x @ W[0], n_heads), split_heads(x @ W[1], n_heads), split_heads(x @ W[2], n_heads)
    x = x + merge_heads(attend(q, k, v, np.tril(np.ones((T, T), bool)))) @ W[3]
    q, k, v = split_heads(x @ U[0], n_heads), split_heads(memory @ U[1], n_heads), split_heads(memory @ U[2], n_heads)
    return x + merge_heads(attend(q, k, v, mask[:, None, None, :])) @ U[3]


# %% [markdown]
# ## Your turn
#
# Six short functions. Sentences are equally long, so there is no padding among the positions written. A cache is a
# pair of arrays, keys $(B, H, L, K)$ and values $(B, H, L, K)$; before the first step $L$ is 0 (an axis may have the
# length 0: `np.zeros((2, 3, 0, 4))`). Where `n_heads` is not given, the keys have $H$ in their shape. Position $L$
# comes behind position $L - 1$: what is new goes to the end. The arrays that you are given stay as they are: you return
# new ones.


# %%
def add_positions(x, start):
    """Add the table to x (B, N, D), whose first position is number `start` of its sentence. Returns (B, N, D)."""
    # BEGIN SOLUTION
    n_new, d_model = x.shape[1:]
    return x + sinusoids(start + n_new, d_model)[start:]
    # END SOLUTION


# %%
def new_positions_mask(n_new, n_old):
    """Return the mask of N new positions behind L old ones: boolean (N, L + N), True where a position may look.

    n_new: N, at least 1. n_old: L, at least 0.
    """
    # BEGIN SOLUTION
    return np.arange(n_old + n_new) <= n_old + np.arange(n_new)[:, None]
    # END SOLUTION


# %%
def self_attention_step(x, W, keys, values):
    """Let new positions look at the old ones and at themselves.

    x (B, N, D): the new positions, the table already added. W (4, D, D). keys and values (B, H, L, K): the cache.
    Returns y (B, N, D), behind W^O and without the residual, and the longer keys and values (B, H, L + N, K).
    """
    # BEGIN SOLUTION
    n_heads, n_old = keys.shape[1], keys.shape[2]
    q, k, v = (split_heads(x @ matrix, n_heads) for matrix in W[:3])
    keys = np.concatenate([keys, k], 2)
    values = np.concatenate([values, v], 2)
    may_look = new_positions_mask(x.shape[1], n_old)
    return merge_heads(attend(q, keys, values, may_look)) @ W[3], keys, values
    # END SOLUTION


# %%
def project_memory(memory, U, n_heads):
    """Return the keys and the values (B, H, S, K) of cross-attention; memory (B, S, D), U (4, D, D)."""
    # BEGIN SOLUTION
    keys, values = memory @ U[1], memory @ U[2]
    return split_heads(keys, n_heads), split_heads(values, n_heads)
    # END SOLUTION


# %%
def cross_attention_step(x, U, keys, values, mask):
    """Let new positions x (B, N, D) look at the memory.

    keys and values (B, H, S, K): of project_memory. mask (B, S): True where the memory is no padding, at least once in
    each sentence.
    Returns y (B, N, D), behind W^O and without the residual.
    """
    # BEGIN SOLUTION
    q = split_heads(x @ U[0], keys.shape[1])
    return merge_heads(attend(q, keys, values, mask[:, None, None, :])) @ U[3]
    # END SOLUTION


# %%
def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    """Return what layer_at_once returns, (B, T, D), by T steps of one position each, with the functions above.

    x (B, T, D): embedded tokens, without the table. memory_keys and memory_values (B, H, S, K): of project_memory.
    """
    # BEGIN SOLUTION
    B, H, _, K = memory_keys.shape
    keys, values = np.zeros((B, H, 0, K)), np.zeros((B, H, 0, K))
    steps = []
    for t in range(x.shape[1]):
        newest = add_positions(x[:, t : t + 1], t)
        y, keys, values = self_attention_step(newest, W, keys, values)
        newest = newest + y
        steps.append(newest + cross_attention_step(newest, U, memory_keys, memory_values, mask))
    return np.concatenate(steps, 1)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"K": (1, 3), "L": (0, 8)}


def inputs(draw, B, H, K, L, N, S):
    """Draw L positions that are in the cache and N that are new, a memory, and matrices. d_k is 2 K: D is even."""
    d_k, D = 2 * K, 2 * H * K
    scale = 1.5 / np.sqrt(D)
    W, U = scale * draw.normal(4, D, D), scale * draw.normal(4, D, D)
    earlier, memory = draw.normal(B, L, D), draw.normal(B, S, D)

    def heads(x):
        return x.reshape(B, -1, H, d_k).transpose(0, 2, 1, 3).copy()

    return {
        "x": draw.normal(B, N, D),
        "start": L,
        "n_new": N,
        "n_old": L,
        "earlier": earlier,
        "keys": heads(earlier @ W[1]),
        "values": heads(earlier @ W[2]),
        "W": W,
        "U": U,
        "n_heads": H,
        "memory": memory,
        "memory_keys": heads(memory @ U[1]),
        "memory_values": heads(memory @ U[2]),
        "mask": draw.mask(B, S),
        "tokens": draw.normal(B, N + 2, D),
    }


def positions(student, x, start):
    return student.add_positions(x, start)


def mask_of_new(student, n_new, n_old):
    return student.new_positions_mask(n_new, n_old)


def self_attention(student, x, W, keys, values):
    return student.self_attention_step(x, W, keys, values)


def of_memory(student, memory, U, n_heads):
    return student.project_memory(memory, U, n_heads)


def cross_attention(student, x, U, memory_keys, memory_values, mask):
    return student.cross_attention_step(x, U, memory_keys, memory_values, mask)


def decode(student, tokens, W, U, memory_keys, memory_values, mask):
    return student.decode_one_by_one(tokens, W, U, memory_keys, memory_values, mask)


CALLS = [
    Call(positions, {"positions": 1}),
    Call(mask_of_new, {"mask": 1}),
    Call(self_attention, {"y of self-attention": 3, "keys": 1, "values": 1}),
    Call(of_memory, {"keys of the memory": 1, "values of the memory": 1}),
    Call(cross_attention, {"y of cross-attention": 2}),
    Call(decode, {"y of all steps": 3}),
]


def positions_slowly(x, start):
    y = x.copy()
    for i in range(x.shape[1]):
        for d in range(x.shape[2]):
            angle = (start + i) / 10000 ** (d // 2 * 2 / x.shape[2])
            y[:, i, d] += np.cos(angle) if d % 2 else np.sin(angle)
    return y


def self_attention_at_once(x, earlier, W, n_heads):
    whole = np.concatenate([earlier, x], 1)
    T = whole.shape[1]
    q, k, v = (split_heads(whole @ matrix, n_heads) for matrix in W[:3])
    y = merge_heads(attend(q, k, v, np.tril(np.ones((T, T), bool)))) @ W[3]
    return y[:, earlier.shape[1] :], k, v


def decode_at_once(tokens, memory, W, U, n_heads, mask):
    return layer_at_once(tokens, memory, W, U, n_heads, mask)


SLOW = {"positions": positions_slowly, "self_attention": self_attention_at_once, "decode": decode_at_once}

PREDICTION = Prediction(
    "You write one token after the other, one position a step (N = 1). Which part does the causal mask of "
    "self-attention play in such a step?",
    {
        "a": "none: everything in the cache, and the position itself, may be looked at",
        "b": "it hides the newest position from itself",
        "c": "it hides all positions but the newest",
    },
    answer="a",
    because="The mask hides the future, and with one new position the future is not in the cache yet. Its row of the "
    "mask is all True. With N > 1 a mask is needed again: the first of the new ones must not see the last.",
)

MISTAKES = [
    Mistake(
        "always_position_0",
        "every part of a sentence gets the rows of the table from 0 on",
        Edit("sinusoids(start + n_new, d_model)[start:]", "sinusoids(n_new, d_model)"),
        ask="What would 'the cat sees the cat' look like if every word believed that it stands first?",
    ),
    Mistake(
        "position_off_by_one",
        "every position gets the row of the position behind it",
        Edit("sinusoids(start + n_new, d_model)[start:]", "sinusoids(start + n_new + 1, d_model)[start + 1 :]"),
        ask="With L positions in the cache, what is the number of the next one, if the first has number 0?",
    ),
    Mistake(
        "mask_without_the_old",
        "{part} is what comes out when the mask is the triangle of the new positions alone, laid over the first keys",
        Edit("<= n_old + np.arange(n_new)[:, None]", "<= np.arange(n_new)[:, None]"),
        ask="New position 0 is at place L of its sentence. Which columns of (N, L + N) may it look at?",
    ),
    Mistake(
        "blind_to_itself",
        "{part} is what comes out when no new position looks at its own key",
        Edit("<= n_old + np.arange(n_new)[:, None]", "< n_old + np.arange(n_new)[:, None]"),
        ask="In the square causal mask, is the diagonal True or False?",
    ),
    Mistake(
        "new_ones_see_the_future",
        "{part} is what comes out when each new position looks at all the others, those behind it too",
        Edit("<= n_old + np.arange(n_new)[:, None]", "< n_old + n_new + 0 * np.arange(n_new)[:, None]"),
        ask="Of three words of a prompt, may the first one look at the third?",
    ),
    Mistake(
        "newest_in_front",
        "the new keys and values stand in front of the old ones",
        Edit("np.concatenate([keys, k], 2)", "np.concatenate([k, keys], 2)"),
        Edit("np.concatenate([values, v], 2)", "np.concatenate([v, values], 2)"),
        ask="Which column of the mask belongs to which position, and is that the order in which your cache grows?",
    ),
    Mistake(
        "old_ones_not_seen",
        "{part} is what comes out when new positions look at the new ones alone, as if the cache were empty",
        Edit(
            "return np.arange(n_old + n_new) <=",
            "return np.where(np.arange(n_old + n_new) < n_old, np.inf, np.arange(n_old + n_new)) <=",
        ),
        ask="How many keys does the third step find in the cache, and which of them does its mask show?",
    ),
    Mistake(
        "memory_grows",
        "the keys and values of the written tokens get among those of the memory",
        Edit(
            "newest = newest + y\n",
            "newest = newest + y\n"
            "        memory_keys = np.concatenate([memory_keys, keys[:, :, -1:]], 2)\n"
            "        memory_values = np.concatenate([memory_values, values[:, :, -1:]], 2)\n"
            "        mask = np.concatenate([mask, np.ones((B, 1), bool)], 1)\n",
        ),
        ask="Does the source sentence get longer while its translation is written?",
    ),
    Mistake(
        "padding_seen",
        "cross-attention looks at the padding of the memory",
        Edit("attend(q, keys, values, mask[:, None, None, :])", "attend(q, keys, values, True)"),
        ask="Which of your arguments tells where the memory is padding?",
    ),
    Mistake(
        "residual_lost",
        "cross-attention is given what self-attention returned, without what went in next to it",
        Edit("newest = newest + y\n", "newest = y\n"),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "second_residual_lost",
        "each step gives what cross-attention returned, without what went in next to it",
        Edit("steps.append(newest + cross_attention_step(", "steps.append(cross_attention_step("),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "table_forgotten",
        "y of all steps does not depend on where a token is: no position has got the table",
        Edit("newest = add_positions(x[:, t : t + 1], t)", "newest = x[:, t : t + 1]"),
        ask="Two sentences have the same words in another order. What tells your steps?",
    ),
    Mistake(
        "output_forgotten",
        "{part} is what comes out when the merged heads of an attention are its result",
        Edit("merge_heads(attend(q, keys, values, may_look)) @ W[3]", "merge_heads(attend(q, keys, values, may_look))"),
        Edit(
            "merge_heads(attend(q, keys, values, mask[:, None, None, :])) @ U[3]",
            "merge_heads(attend(q, keys, values, mask[:, None, None, :]))",
        ),
        ask="Four matrices are stacked in the array. Which three have you used, and where does the fourth come in?",
    ),
    Mistake(
        "values_by_the_key_matrix",
        "the values of the memory are made by the matrix of its keys",
        Edit("memory @ U[1], memory @ U[2]", "memory @ U[1], memory @ U[1]"),
        ask="Which of the four matrices makes what is averaged, and which what is compared with the query?",
    ),
    Mistake(
        "newest_in_front_throughout",
        "the new keys and values stand in front of the old ones, and the mask fits that order",
        Edit("np.concatenate([keys, k], 2)", "np.concatenate([k, keys], 2)"),
        Edit("np.concatenate([values, v], 2)", "np.concatenate([v, values], 2)"),
        Edit(
            "may_look = new_positions_mask(x.shape[1], n_old)",
            "may_look = np.hstack([np.tri(x.shape[1], dtype=bool), np.ones((x.shape[1], n_old), bool)])",
        ),
        ask="In which order does the text want the positions of a cache?",
    ),
    Mistake(
        "first_result_lost",
        "{part} lacks what self-attention gave: after cross-attention it is missing from the sum",
        Edit("newest = newest + y", "before, newest = newest, newest + y"),
        Edit("steps.append(newest + cross", "steps.append(before + cross"),
        ask="To what do you add the result of cross-attention?",
    ),
    Mistake(
        "residuals_lost",
        "each step gives what the two attentions returned one after the other, without what went into either",
        Edit("newest = newest + y\n", "newest = y\n"),
        Edit("steps.append(newest + cross_attention_step(", "steps.append(cross_attention_step("),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "cross_attention_past_the_residual",
        "cross-attention is given what went into self-attention, without what it returned",
        Edit("cross_attention_step(newest, U", "cross_attention_step(newest - y, U"),
        ask="In layer_at_once, what does x hold when the queries of cross-attention are made of it?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when the mask is True where a position may not look",
        Edit("<= n_old + np.arange(n_new)[:, None]", "> n_old + np.arange(n_new)[:, None]"),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "one_ahead",
        "{part} is what comes out when each new position looks at the one behind it too",
        Edit("<= n_old + np.arange(n_new)[:, None]", "<= n_old + 1 + np.arange(n_new)[:, None]"),
        ask="In the square causal mask, what is the first entry to the right of the diagonal?",
    ),
    Mistake(
        "columns_exchanged",
        "{part} is what comes out when the mask has the new positions in its first columns, and the old ones behind",
        Edit("return np.arange(n_old + n_new) <=", "return np.roll(np.arange(n_old + n_new), n_new) <="),
        ask="Which position of the sentence does column 0 of the mask stand for?",
    ),
    Mistake(
        "row_of_start",
        "every new position gets the row of the first of them",
        Edit("sinusoids(start + n_new, d_model)[start:]", "sinusoids(start + n_new, d_model)[start]"),
        ask="How many rows of the table do N positions want?",
    ),
    Mistake(
        "keys_in_both_caches",
        "the cache of the values is continued with the new keys",
        Edit("values = np.concatenate([values, v], 2)", "values = np.concatenate([values, k], 2)"),
        ask="Which array goes into which cache?",
    ),
    Mistake(
        "matrices_exchanged",
        "self-attention makes its keys by W[2] and its values by W[1]",
        Edit("q, k, v = (split_heads(x @ matrix", "q, v, k = (split_heads(x @ matrix"),
        ask="Which of the four matrices makes what is averaged, and which what is compared with the query?",
    ),
    Mistake(
        "new_ones_returned_alone",
        "{part} is what comes out when the new keys and values are returned without those of the cache",
        Edit(
            "attend(q, keys, values, may_look)) @ W[3], keys, values", "attend(q, keys, values, may_look)) @ W[3], k, v"
        ),
        ask="What does the next step find in the cache: by the docstring, and after your step?",
    ),
    Mistake(
        "keys_by_the_query_matrix",
        "the keys of the memory are made by the matrix of the queries",
        Edit("keys, values = memory @ U[1], memory @ U[2]", "keys, values = memory @ U[0], memory @ U[2]"),
        ask="Four matrices are stacked, in the order Q, K, V, O. Which index has each?",
    ),
    Mistake(
        "heads_not_split",
        "{part} has all heads side by side, without an axis of heads",
        Edit("return split_heads(keys, n_heads), split_heads(values, n_heads)", "return keys, values"),
        ask="Which shape does the docstring name, and which function that is given makes it?",
    ),
    Mistake(
        "memory_reshaped",
        "{part} is what comes out when a reshape alone makes the axis of heads",
        Edit(
            "return split_heads(keys, n_heads), split_heads(values, n_heads)",
            "return tuple(x.reshape(len(x), n_heads, x.shape[1], -1) for x in (keys, values))",
        ),
        ask="In (B, S, H * K), what is next to the first head of position 0, and where does it stand in yours?",
    ),
    Mistake(
        "padding_seen_alone",
        "{part} is what comes out when cross-attention looks at the padding of the memory, and at nothing else",
        Edit("attend(q, keys, values, mask[:, None, None, :])", "attend(q, keys, values, ~mask[:, None, None, :])"),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "query_not_projected",
        "{part} is what comes out when the queries of cross-attention are the heads of x itself",
        Edit("split_heads(x @ U[0], keys.shape[1])", "split_heads(x, keys.shape[1])"),
        ask="Four matrices are stacked in the array. Which have you used, in project_memory and here?",
    ),
    Mistake(
        "residual_without_the_table",
        "{part} is what comes out when the residual of self-attention does not have the table added",
        Edit("newest = newest + y\n", "newest = x[:, t : t + 1] + y\n"),
        ask="In layer_at_once, what does x hold when the result of self-attention is added to it?",
    ),
    Mistake(
        "memory_in_the_cache",
        "{part} is what comes out when the cache of self-attention begins with the keys and values of the memory",
        Edit(
            "keys, values = np.zeros((B, H, 0, K)), np.zeros((B, H, 0, K))", "keys, values = memory_keys, memory_values"
        ),
        ask="Which positions has self-attention seen before the first step?",
    ),
    Mistake(
        "last_step_alone",
        "{part} is that of the last step alone",
        Edit("return np.concatenate(steps, 1)", "return steps[-1]"),
        ask="What becomes of the result of the first step when the second one is made?",
    ),
    Mistake(
        "heads_reshaped",
        "{part} is what comes out when the heads are put side by side by a reshape alone",
        Edit(
            "merge_heads(attend(q, keys, values, may_look)) @", "attend(q, keys, values, may_look).reshape(x.shape) @"
        ),
        Edit(
            "merge_heads(attend(q, keys, values, mask[:, None, None, :])) @",
            "attend(q, keys, values, mask[:, None, None, :]).reshape(x.shape) @",
        ),
        ask="In (B, H, T, K), what is next to the first head of position 0, and what should be?",
    ),
    Mistake(
        "a_position_of_zeros",
        "{part} is what comes out when the cache begins with a position whose key and value are 0",
        Edit(
            "keys, values = np.zeros((B, H, 0, K)), np.zeros((B, H, 0, K))",
            "keys, values = np.zeros((B, H, 1, K)), np.zeros((B, H, 1, K))",
        ),
        ask="How many positions are in the cache before the first step? What is the softmax of a score of 0?",
    ),
]

HINTS = [
    "Two functions need no thought about the cache: project_memory and cross_attention_step are cross-attention as you "
    "know it, cut in two. For add_positions, think of the table as long as you like: which N of its rows do you want?",
    "In self_attention_step make query, key and value of the new positions alone. The longer keys and values are old "
    "and new joined along the axis of positions, and these are what the queries look at. For the mask, give every "
    "column its number 0 .. L + N - 1 and every row the number of its position in the sentence.",
    "decode_one_by_one: begin with keys and values of length 0. A step takes x at one position (keep the axis), adds "
    "row t of the table, calls self_attention_step and keeps what it returns, adds the residual, calls "
    "cross_attention_step and adds that residual too. Join the results along the axis of positions.",
]

ALTERNATIVES = [
    """
def add_positions(x, start):
    y = x.copy()
    for i in range(x.shape[1]):
        y[:, i] += sinusoids(start + i + 1, x.shape[2])[-1]
    return y


def new_positions_mask(n_new, n_old):
    return np.hstack([np.ones((n_new, n_old), bool), np.tri(n_new, dtype=bool)])


def self_attention_step(x, W, keys, values):
    outputs = []
    for i in range(x.shape[1]):
        one = x[:, i : i + 1]
        q, k, v = (split_heads(one @ W[j], keys.shape[1]) for j in range(3))
        keys, values = np.append(keys, k, axis=2), np.append(values, v, axis=2)
        scores = np.einsum("bhqd,bhkd->bhqk", q, keys) / keys.shape[-1] ** 0.5
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        outputs.append(merge_heads(np.einsum("bhqk,bhkd->bhqd", weights, values)) @ W[3])
    return np.concatenate(outputs, axis=1), keys, values


def project_memory(memory, U, n_heads):
    both = memory @ np.concatenate([U[1], U[2]], 1)
    keys, values = np.split(both, 2, axis=-1)
    return split_heads(keys, n_heads), split_heads(values, n_heads)


def cross_attention_step(x, U, keys, values, mask):
    y = np.zeros_like(x)
    for b in range(len(x)):
        q = split_heads(x[b : b + 1] @ U[0], keys.shape[1])
        k, v = keys[b : b + 1, :, mask[b]], values[b : b + 1, :, mask[b]]
        y[b] = (merge_heads(attend(q, k, v, np.ones((1, 1, 1, k.shape[2]), bool))) @ U[3])[0]
    return y


def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    keys, values = memory_keys[:, :, :0], memory_values[:, :, :0]
    y = np.empty_like(x)
    for t in range(x.shape[1]):
        h = add_positions(x[:, [t]], t)
        attended, keys, values = self_attention_step(h, W, keys, values)
        h += attended
        h = h + cross_attention_step(h, U, memory_keys, memory_values, mask)
        y[:, t] = h[:, 0]
    return y
""",
    """
def add_positions(x, start):
    n, d = x.shape[1], x.shape[2]
    rates = 10000.0 ** (-np.arange(0, d, 2) / d)
    angles = np.outer(np.arange(start, start + n), rates)
    y = np.array(x)
    y[..., 0::2] += np.sin(angles)
    y[..., 1::2] += np.cos(angles)
    return y


def new_positions_mask(n_new, n_old):
    rows = [[s <= n_old + t for s in range(n_old + n_new)] for t in range(n_new)]
    return np.array(rows)


def self_attention_step(x, W, keys, values):
    B, H, L, K = keys.shape
    N = x.shape[1]
    longer_keys, longer_values = np.empty((B, H, L + N, K)), np.empty((B, H, L + N, K))
    longer_keys[:, :, :L], longer_values[:, :, :L] = keys, values
    longer_keys[:, :, L:] = split_heads(x @ W[1], H)
    longer_values[:, :, L:] = split_heads(x @ W[2], H)
    mask = np.tril(np.ones((N, L + N), bool), k=L)
    y = merge_heads(attend(split_heads(x @ W[0], H), longer_keys, longer_values, mask)) @ W[3]
    return y, longer_keys, longer_values


def project_memory(memory, U, n_heads):
    B, S, D = memory.shape
    matrices = U[1:3].reshape(2, D, n_heads, D // n_heads)
    keys, values = np.einsum("bsd,mdhk->mbhsk", memory, matrices)
    return keys, values


def cross_attention_step(x, U, keys, values, mask):
    H, K = keys.shape[1], keys.shape[3]
    q = np.einsum("bnd,dhk->bhnk", x, U[0].reshape(-1, H, K))
    scores = np.einsum("bhnk,bhsk->bhns", q, keys) / np.sqrt(K) + np.where(mask, 0, -1e30)[:, None, None]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhns,bhsk,hkd->bnd", weights, values, U[3].reshape(H, K, -1))


def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    cache = (memory_keys[:, :, :0].copy(), memory_values[:, :, :0].copy())
    rows = []
    for t, row in enumerate(np.moveaxis(x, 1, 0)):
        here = add_positions(row[:, None], t)
        y, *cache = self_attention_step(here, W, *cache)
        here = here + y
        rows.append((here + cross_attention_step(here, U, memory_keys, memory_values, mask))[:, 0])
    return np.stack(rows, axis=1)
""",
]
