# %% [markdown]
# # Greedy decoding, always the most probable next token
#
# A trained model cannot write a sentence. All it does is read one, and say for every position which
# token comes next. So a sentence is written token by token (section 3.1 of the paper: the model "is
# auto-regressive"): give it `<bos>`, the sign that a sentence begins, take a token from what it
# says of the next one, put that token behind `<bos>`, and ask again. The sentence ends when the
# token is `<eos>`.
#
# Greedy decoding takes the most probable token each time:
#
# $$y_t = \arg\max_v\; P(v \mid y_1, \dots, y_{t-1}, X), \qquad \log P(Y \mid X) = \sum_t \log P(y_t \mid y_1, \dots,
#   y_{t-1}, X)$$
#
# A *model* is a function here. It reads ids $(B, t)$, integers, one row a sentence, each row
# beginning with `<bos>`. It returns log-probabilities $(B, t, V)$: entry `[b, i]` tells of the
# token that *follows* position $i$ of sentence $b$. Nothing that comes after position $i$ has any
# influence on it, as the causal mask sees to. This one is a toy, in which a token depends on the
# one before it alone:


# %%
import numpy as np

PAD, BOS, EOS = 0, 1, 2  # of the toy; then 3 is "the", 4 "cat", 5 "sleeps"
FOLLOWS = np.full((6, 6), 0.02)
FOLLOWS[[0, 1, 2, 3, 4, 5], [2, 3, 2, 4, 5, 2]] = 0.9


def toy_model(ids):
    """The log-probabilities of what follows each token: ids (B, t) -> (B, t, V)."""
    return np.log(FOLLOWS)[ids]


# %% [markdown]
# `np.exp(toy_model(np.array([[BOS, 3]])))[0, -1]` tells of the token behind "the": 0.9 for "cat",
# 0.02 for each other.
#
# One sentence alone is a short loop. It is slow for two reasons: sentences are written one after
# the other, although the model can read them all at once, and the largest entry is looked for by
# hand. `greedy_slowly(toy_model, BOS, EOS, 8)` writes "the cat sleeps" and `<eos>`.


# %%
def greedy_slowly(model, bos, eos, max_len):
    """Write one sentence: a list of its tokens, and its log-probability."""
    tokens, total = [], 0.0
    for _ in range(max_len):
        log_probs = model(np.array([[bos] + tokens]))[0]  # (t, V), a row for each position
        token, best = None, -np.inf
        for v in range(log_probs.shape[1]):
            if log_probs[len(tokens), v] > best:
                token, best = v, log_probs[len(tokens), v]
        tokens.append(token)
        total += best
        if token == eos:
            break
    return tokens, total


# %% [markdown]
# ## Your turn
#
# Write a whole batch of $B$ sentences side by side. The new difficulty: they end at different
# times. The array that the model reads has no holes, so a sentence that has ended stays in it and
# grows by `pad` while others are written. These are the rules:
#
# - `max_len` counts the written tokens, `<eos>` too and `<bos>` not. A sentence that has no `<eos>`
#   by then is cut off.
# - The model must be given all $B$ sentences each time, as whole beginnings with `<bos>` in front,
#   and with `pad` in every place after an `<eos>`.
# - `ids` is $(B, max\_len)$, integers: the written tokens without `<bos>`, with `<eos>` where the
#   sentence has one, and `pad` in every place after it.
# - `log_p` is $(B,)$: the sum over the written tokens, that of `<eos>` included. What follows
#   `<eos>` costs nothing.
# - Once every sentence has ended, the model is not asked again. It is slow.
#
# The largest entry of a row (V,) is there only once, and no sentence has `pad` or `bos` as its most
# probable token.


# %%
def greedy(model, n_sentences, bos, eos, pad, max_len):
    """Return what the model writes when the most probable token is taken each time.

    model: a function, ids (B, t) -> log-probabilities (B, t, V). n_sentences is B. bos, eos, pad:
    three different ids, not always those of the toy. Returns ids (B, max_len), integers, and log_p
    (B,).
    """
    # BEGIN SOLUTION
    prefix = np.full((n_sentences, 1), bos)
    ids = np.full((n_sentences, max_len), pad)
    log_p = np.zeros(n_sentences)
    ended = np.zeros(n_sentences, bool)
    for t in range(max_len):
        if ended.all():
            break
        following = model(prefix)[:, -1]
        tokens = following.argmax(-1)
        tokens = np.where(ended, pad, tokens)
        log_p += np.where(ended, 0.0, following.max(-1))
        ended = ended | (tokens == eos)
        ids[:, t] = tokens
        prefix = np.concatenate([prefix, tokens[:, None]], 1)
    return ids, log_p
    # END SOLUTION
