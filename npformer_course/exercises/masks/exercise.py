# %% [markdown]
# # Masks: who may look at whom
#
# Attention lets every position look at every other. Two kinds of looks must not be.
#
# **Padding.** A batch is one array, so its sentences must be equally long, and the shorter ones are
# filled up with a padding id. These are not words, and nobody may look at them. Mostly they are at
# the end of a sentence. Programs that write several sentences at once put them in front, and they
# may be in between: each id says for itself whether it is padding.
#
# **The future.** The decoder learns to say the next word at *all* positions at once (section 3.1,
# last sentences; section 3.2.3). If position $t$ could look at $t + 1$, it would find the very word
# that it is to predict, and would learn to copy. So $t$ sees $0 \dots t$. It does see itself: what
# is at $t$ is the word that was written last, the next one is to be found.
#
# A mask says this in booleans. **True means: may attend.** (Other libraries write True for
# "hidden"; here it is never so.) In the scores of attention, the last axis but one belongs to the
# position that looks, the *query*, $T$ of them, and the last axis to the position that is looked
# at, the *key*, $S$ of them:
#
# $$\mathrm{mask}[b, t, s] = \text{in sentence } b\text{, query } t \text{ may look at key } s$$
#
# Where the answer does not depend on an axis, that axis has length 1, or is left out in front, and
# NumPy broadcasts:
#
# - padding depends on sentence and key, not on the query, in the encoder and from the decoder to
#   the source: $(B, 1, S)$;
# - the future depends on query and key, in every sentence alike: $(T, T)$;
# - in the decoder both hold together, and there the sentence looks at itself, so $S = T$: $(B, T,
#   T)$.
#
# What about queries that are padding themselves? They are *not* blocked: they see the same keys as
# everybody else (in the decoder: those up to their own position). Whatever they compute, nobody
# looks at it, and the loss leaves them out. To block them would make rows without a single True,
# and those have no weights at all.
#
# As an example, the ids 7 5 8 0 0 with 0 for padding: their row of the padding mask is True True
# True False False, and position 4, which is padding, sees 0, 1 and 2. Here are all three, one look
# at a time:


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
# Write the three without loops. Which id means padding is given by `pad_id`: in npformer it is 0,
# but the functions must be right for every other, and then 0 is a word. The results are booleans.
# The keys of `padding_mask` may be those of another sentence than the queries, so their number is
# $S$ there; in `masks_slowly` all three masks are of one sentence.


# %%
def padding_mask(ids, pad_id):
    """Return a mask (B, 1, S), True where a key is no padding.

    ids: integers (B, S).
    """
    # BEGIN SOLUTION
    words = ids != pad_id
    return words[:, None, :]
    # END SOLUTION


def causal_mask(length):
    """Return a mask (length, length), True where a query may look at a key.

    A query may look at itself and at what is before it.
    """
    # BEGIN SOLUTION
    everything = np.ones((length, length), bool)
    return np.tril(everything)
    # END SOLUTION


def target_mask(ids, pad_id):
    """Return a mask (B, T, T) for a decoder's attention to its own sentence: no padding, no future.

    ids: integers (B, T).
    """
    # BEGIN SOLUTION
    real = padding_mask(ids, pad_id)
    past = causal_mask(ids.shape[1])
    return real & past
    # END SOLUTION
