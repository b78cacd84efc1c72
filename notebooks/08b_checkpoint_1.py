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
# # 08b Checkpoint: part I
#
# Ten questions on notebooks [02](02_attention_by_hand.ipynb) to [08](08_build_it.ipynb). Put your answer in place of the
# dots: a letter such as `"a"`, a number, or several in brackets such as `(2, 3)`. Work it out on paper; you may look
# things up. A wrong answer gets a hint, and you can try again.
#
# About 15 minutes with its writing. [Notation](../docs/reference/notation.md).

# %%
from npformer_course import Checkpoint

answer = Checkpoint(1)

# %% [markdown]
# **1.** The weights 0.5, 0.5 and 0 came out of a softmax in float64; the 0 is exact. Which scores can they not come from?
#
# - a: 2, 2 and minus infinity
# - b: 0, 0 and -1000
# - c: 1, 1 and -5

# %%
answer("impossible", ...)

# %% [markdown]
# **2.** Two words have the scores 4 and 1 in a row of ten. How many times the second's weight is the first's?

# %%
answer("ratio", ...)

# %% [markdown]
# **3.** Queries and keys have 256 features: independent numbers with mean 0 and variance 1. What is the standard deviation
# of a score before it is divided?

# %%
answer("spread", ...)

# %% [markdown]
# **4.** Queries have the shape (2, 4, 7, 16) and keys (2, 4, 10, 16): sentences, heads, positions, features. Which shape do
# the scores have?

# %%
answer("scores", ...)

# %% [markdown]
# **5.** Self-attention with 64 features and 8 heads, without biases. How many parameters do its four matrices have together?

# %%
answer("parameters", ...)

# %% [markdown]
# **6.** An encoder layer gets a sentence without positional encoding. Two words change places. What happens to its output?
#
# - a: Every row changes.
# - b: The two rows change places, and nothing else changes.
# - c: Nothing changes.

# %%
answer("order", ...)

# %% [markdown]
# **7.** LayerNorm, with gain 1, bias 0 and a negligible eps, gets (1, 2, 3, 6). You double every feature and then add 10.
# What happens to its output?
#
# - a: Nothing.
# - b: It doubles.
# - c: It doubles, and 10 is added.

# %%
answer("norm", ...)

# %% [markdown]
# **8.** Of which positions of its input is the output of the feed-forward network at position 3 made?
#
# - a: of position 3
# - b: of positions 0 to 3
# - c: of all of them

# %%
answer("network", ...)

# %% [markdown]
# **9.** A target has five tokens, the last of which is padding. Keys are hidden by a causal mask and a padding mask.
# How many pairs of a query and a key that it may see are there?

# %%
answer("pairs", ...)

# %% [markdown]
# **10.** The decoder has written three tokens; the source has ten. There are four heads and one sentence. Which shape do
# the weights of cross-attention have, without the axis of sentences?

# %%
answer("cross", ...)

# %% [markdown]
# How did it go?

# %%
answer.score()

# %% [markdown]
# Next: [notebook 09](09_backpropagation_from_zero.ipynb), how a model learns.
