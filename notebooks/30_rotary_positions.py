# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 30 Since 2017: rotary positions
#
# *Part IV, Understand it. Before: [29](29_why_self_attention.ipynb). Next: [31](31_swiglu_and_grouped_queries.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# "The word before", "the verb three words ago": most of what a model needs of positions is a *distance*. But the paper adds
# a vector to each word that says where it is, and hopes that heads learn to subtract. Can a score depend on the
# distance by itself?
#
# **After this you can** turn queries and keys, and their gradients back; say why only the distance is left; say what
# this does not give: longer texts.
#
# Paper: section 3.5. The rest is newer (Su et al. 2021). About 40 minutes with its writing.

# %%
# %matplotlib inline
import math  # noqa: F401, for what you write

import numpy as np

from helpers import rotary_runs
from helpers.compare import compare
from helpers.course_sentence import CourseSentence
from helpers.pictures import show_arrays
from helpers.schematics import rotary
from npformer_course import Bet, exercise

rotary()

# %% [markdown]
# Language models of today are the decoder of 2017 with five parts exchanged. This is the first of them.
#
# | part | 2017 | many models since | notebook |
# |---|---|---|---|
# | positions | sinusoids, added once | rotary: turn queries and keys (Su et al. 2021) | here |
# | where the norm is | after each part, on the residual path | before each part | [15b](15b_pre_and_post_norm.ipynb) |
# | norm | LayerNorm | RMSNorm (Zhang and Sennrich 2019) | [31](31_swiglu_and_grouped_queries.ipynb) |
# | feed-forward network | two matrices, ReLU | SwiGLU: three, one is a gate (Shazeer 2020) | [31](31_swiglu_and_grouped_queries.ipynb) |
# | keys and values | one set per head | one per group of heads (Ainslie et al. 2023) | [31](31_swiglu_and_grouped_queries.ipynb) |
#
# ## Turn, do not add
#
# Notebook 05 had a row of clocks for each position, and *added* where their hands point to. Now the vector itself is
# the hand. Take the $d_k$ features of a query in pairs: features 0 and 1 are the first arrow in a plane, 2 and 3 the
# second. Turn pair $i$ by the angle $t\,\theta_i$, where $t$ is the position of the query. Do the same with keys. The
# rates $\theta_i$ are those of the clocks, with $d_k$ for $d_{model}$:
#
# $$\begin{pmatrix} y_{2i} \\ y_{2i+1} \end{pmatrix} =
# \begin{pmatrix} \cos t\theta_i & -\sin t\theta_i \\ \sin t\theta_i & \cos t\theta_i \end{pmatrix}
# \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}, \qquad \theta_i = 10000^{-2i/d_k}$$
#
# **Write it** for all heads at once. `x[..., 0::2]` are the features 0, 2, 4, ... (The docstring has $K$ for $d_k$. When
# a text is written, a query comes alone, at position `start`.)


# %%
def rotate(x, start):
    """Return x with each position's features turned, (B, H, N, K).

    x (B, H, N, K): its N positions have the numbers start, start + 1, ... K is even. x itself is
    not changed.
    """
    raise NotImplementedError


# %%
rotate = exercise("rotary").check(rotate)

# %%
q = np.tile([1.0, 0.0, 1.0, 0.0], (1, 1, 7, 1))  # the same query at seven positions
turned = rotate(q, 0)[0, 0]  # (7, 4)
show_arrays(turned=turned, norm=np.linalg.norm(turned, axis=1)[:, None], rows=[f"position {t}" for t in range(7)])

# %% [markdown]
# The first pair turns by one radian per position and is nearly back at position 6. The second turns by a hundredth. The
# norm never changes: nothing is added, and no feature is lost.
#
# **Backward.** A rotation is a product with a matrix, $y = R_t\,x$, so $dx = R_t^\top dy$ (notebook 10). What does the
# transpose of the matrix above do to an arrow? **Write it**; one line can be enough.


# %%
def rotate_backward(dy, start):
    """Return dx (B, H, N, K), the gradient of what `rotate` was given.

    dy (B, H, N, K) is that of what it returned.
    """
    raise NotImplementedError


# %%
rotate_backward = exercise("rotary").check(rotate_backward)

# %% [markdown]
# ## Only the distance is left
#
# A score is the product of a turned query and a turned key:
#
# $$(R_t\,q) \cdot (R_s\,k) = q^\top R_t^\top R_s\,k = q^\top R_{s-t}\,k$$
#
# $R_s$ turns forward by $s$ positions and $R_t^\top$ back by $t$. So the score depends on $s - t$, and on what the two
# words are. **Write it**, divided by $\sqrt{d_k}$ as always. With a cache (notebook 25) there are keys from position 0 on,
# and queries for the newest positions only.


# %%
def rotary_scores(q, k):
    """Return the scores (B, H, T, S), before mask and softmax.

    q (B, H, T, K): the queries of the last T of S positions. k (B, H, S, K): the keys of positions
    0 to S - 1.
    """
    raise NotImplementedError


# %%
rotary_scores = exercise("rotary").check(rotary_scores)

# %% [markdown]
# Take the sentence of the course, with the queries and keys of one head of the translator. Its words have no positions
# yet. Once they get sinusoids and once they are turned, at position 0 and then 50 words later in a long text. The later
# one is cut out of a text of 60 positions whose last ten are our sentence.

# %%
sentence = CourseSentence()
words = sentence.source_tokens
q, k = rotary_runs.head_without_positions(sentence)  # (1, 4, 10, 16)
before = np.zeros((1, 4, 50, 16))  # 50 other words
later = rotary_scores(q, np.concatenate([before, k], 2))[..., 50:]
grids = {
    "added, at 0": rotary_runs.scores_with_sinusoids(sentence, 0)[3],
    "added, at 50": rotary_runs.scores_with_sinusoids(sentence, 50)[3],
    "turned, at 0": rotary_scores(q, k)[0, 3],
    "turned, at 50": later[0, 3],
}
show_arrays(**grids, rows=words, columns=words, decimals=0)

# %% [markdown]
# With sinusoids the same words 50 positions later have other scores. Turned, they have the same ones. (These queries and
# keys were trained with sinusoids, so do not read the scores as a translation. A model must be trained with what it is
# to use.)
#
# Every layer turns its own queries and keys. Values are not turned, and nothing is added to the words.
#
# ## Rotary, added, or none
#
# Is it better? Train three small language models on characters, as in [notebook 23](23_language_modeling.ipynb) and
# smaller: two layers of $D = 32$ with 4 heads, texts of 32 characters, 300 updates. One has sinusoids, one has **your**
# rotation (`positions="rotary"` in its `LanguageModelConfig`), and one has no positions at all, to show what either kind
# is worth. Positions have no parameters, so all three begin with the same ones and read the same batches. Learning rates
# of 0.005, 0.01, 0.02 and 0.04 were tried for each, and 0.02 was the best for all three.

# %%
models = rotary_runs.trained_on_32_characters(rotate, rotate_backward)
losses = {name: rotary_runs.held_out_loss(model) for name, model in models.items()}

# %% tags=["hide-input"]
rotary_runs.plot_held_out_losses(losses)

# %%
compare(losses["none"], 1.77, "no positions", tolerance=0.02)
compare(losses["sinusoids"], 1.36, "sinusoids", tolerance=0.02)
compare(losses["rotary"], 1.03, "rotary", tolerance=0.02)

# %% [markdown]
# (The pale dots are two other seeds. A model that knows only how often each character comes pays 3.05 nats. The floor is
# what the text leaves open, and nobody knows it.) With no positions at all a decoder is not lost, because by the causal
# mask each position sees one token more than the last. Over three seeds sinusoids bring 0.39 nats, and rotary positions
# 0.34 more.
#
# Part of it is speed. After 1,200 updates the second difference is 0.09. Of a large model after a long training this
# says nothing. And the rate matters as much as the positions: at 0.005, where we measured first, sinusoids seemed to
# be worth only a quarter of this. Whoever compares two parts at one rate may be comparing how well the rate suits them.
#
# ## Longer texts?
#
# It is often said that distances generalize, so that a model with rotary positions can read longer texts than those
# of its training. Ours has seen 32 characters at a time. Let all three read 64.

# %%
bet = Bet("The loss at the 64th character: which model is best?", ["none", "sinusoids", "rotary"])
bet.place(...)

# %%
beyond = rotary_runs.losses_of_longer_texts(models)  # (64,) each
bet.settle(min(beyond, key=lambda name: beyond[name][63]))

# %% tags=["hide-input"]
rotary_runs.plot_by_place(beyond)

# %% [markdown]
# The rotary model keeps its loss for a few characters more, and then fails, worse than a model that knows nothing, which
# pays $\ln 47 = 3.85$. The model without positions is nearly as good as before. Why does a score that depends on the distance only not help?
#
# A head has 8 features here, four pairs. **Write** after how many positions each pair has made a full turn and points
# again where it was.

# %%
d_k = 8
full_turn = ...  # (4,), in positions
full_turn = rotary_runs.full_turns().check(full_turn=full_turn)

# %%
show_arrays(full_turn=full_turn, columns=[f"pair {i}" for i in range(4)], decimals=0)

# %% [markdown]
# In training no distance was above 31. Only pair 0 has been at all its angles. Pair 1 turns in 63 positions: half of its
# circle has never been seen, and beyond 31 it goes there. Pairs 2 and 3 meet new angles too, but only 0.3 radians and less
# from old ones. So the suspect is pair 1.
#
# **Test it.** Take the trained model and *hold* one pair: words farther away than 31 get the angle of 31 in this pair, and
# their own in the three others. Pair 1 then meets no new angle. Nothing is trained.

# %%
rotary_model = models["rotary"]
held = {"no pair held": beyond["rotary"]}
for pair in range(4):
    held[f"pair {pair} held"] = rotary_runs.losses_with_pair_held(rotary_model, pair, farthest=31)

# %% tags=["hide-input"]
rotary_runs.plot_by_place(held)

# %% [markdown]
# With pair 1 held, the model reads 64 characters as well as 32: 1.0 nats at the end, and not 4.4. (With the two other seeds it is
# 1.04 and 1.06.) To hold another pair changes little. So it is the angles that no text of the training has shown.
#
# Models that must read longer texts are usually trained further, with smaller rates $\theta_i$, such that the longest
# distance turns a pair no further than before. What rotary positions give is not length. It is that a head need not
# learn to subtract.
#
# (It depends on the task, too. A model that has learned to reverse rows of up to ten digits with sinusoids reversed none
# of 50 rows of twelve, as in notebook 17. With rotary positions it was 37, and 34 from other random parameters.
# `npformer course train --rotary` does it with your rotation.)
#
# ## Three questions
#
# **1.** Values are not turned. What would be lost if they were?
#
# <details><summary>Answer</summary>
#
# The result would be a sum of $R_s v_s$: what a word contributes would depend on its place again, and the next layer
# would have to turn it back. In scores only the difference of two angles is left. In a sum of values nothing cancels.
#
# </details>
#
# **2.** A KV cache keeps the keys of earlier positions. Must they be turned before or after they are stored?
#
# <details><summary>Answer</summary>
#
# Both are right. The position of a key never changes, so it can be turned once and stored. `RotaryAttention` turns all
# keys in each call, which is simpler and costs time. A query must be turned by its own position: with $T$ queries and
# $S$ keys the first query is at $S - T$.
#
# </details>
#
# **3.** If the first pair tells neighbors apart so well, why not turn all pairs at its rate?
#
# <details><summary>Answer</summary>
#
# After 6.28 positions all pairs would be where they were: a distance of 6, 13 or 19 would look like 0. And there would be
# nothing that does *not* turn: the slowest pairs hardly depend on the distance, and compare words by what they are.
#
# </details>

# %% [markdown]
# **You can now**
#
# - turn queries and keys by their positions, and gradients back;
# - show in one line that a rotary score depends on the distance only;
# - say why that does not make a model read longer texts, and which pair is to blame.
#
# Exercise: rotary has one more function, the backward of the scores. In the folder of your exercises `npformer course
# train --rotary` reverses digits with your rotation. Next: [notebook 31](31_swiglu_and_grouped_queries.ipynb), the other
# parts of the table.
