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
# # 18c Checkpoint: part II
#
# Ten questions on notebooks [09](09_backpropagation_from_zero.ipynb) to [18](18_debugging_a_training.ipynb), three of
# which need part I too. Put your answer in place of the dots: a letter such as `"a"`, a number, or several in brackets
# such as `(2, 3)`. Work it out on paper; you may look things up. A wrong answer gets a hint, and you can try again.
#
# About 15 minutes with its writing. [Notation](../docs/reference/notation.md).

# %%
from npformer_course import Checkpoint

answer = Checkpoint(2)

# %% [markdown]
# **1.** A number $x$ is used in two places. From one of them the gradient 6 comes back, from the other 1. What is $dx$?

# %%
answer("twice", ...)

# %% [markdown]
# **2.** $y = xW$ with $x$ (B, T, D) and $W$ (D, F). What is $dW$?
#
# - a: the sum over B and T of dy times the transposed W
# - b: the sum over B and T of each x as a column times its dy as a row
# - c: x times dy, feature by feature

# %%
answer("matrix", ...)

# %% [markdown]
# **3.** The gradient $dy$ that comes back to the weights of an attention row has the same 5 added to each of its entries.
# By how much do the gradients of the scores change?

# %%
answer("constant", ...)

# %% [markdown]
# **4.** What is the sum over the features of the gradient $dx$ that LayerNorm passes back at one position?

# %%
answer("sum", ...)

# %% [markdown]
# **5.** A sentence of three tokens has the same id three times. The gradients at its positions are (1, 2), (3, 4) and (5, 6),
# after the factor $\sqrt{D}$. Which gradient does the row of that id get?

# %%
answer("repeated", ...)

# %% [markdown]
# **6.** A gradient check in float64 finds a relative error of 0.001 for one parameter, with every step that you try. What do
# you conclude?
#
# - a: 0.1 % is close enough.
# - b: It is rounding.
# - c: The backward is wrong.

# %%
answer("check", ...)

# %% [markdown]
# **7.** The probabilities of three tokens are (0.7, 0.2, 0.1), and the first token is right. What is the gradient of the loss
# with respect to the three logits?

# %%
answer("logits", ...)

# %% [markdown]
# **8.** Adam's first update of a parameter whose gradient is 0.000001, with a learning rate of 0.001 and a negligible eps:
# by how much does the parameter change?

# %%
answer("first_step", ...)

# %% [markdown]
# **9.** The warm-up ends at update 400. What share of the rate at update 400 is that at update 1600?

# %%
answer("rate", ...)

# %% [markdown]
# **10.** Losses in training and on held-out sentences fall far lower than those of a good model, but what
# the model writes is nonsense. Which bug is the likely one?
#
# - a: The decoder has no causal mask.
# - b: The gain of a LayerNorm is never updated.
# - c: The learning rate is ten times too small.

# %%
answer("leak", ...)

# %% [markdown]
# How did it go?

# %%
answer.score()

# %% [markdown]
# Next: [notebook 19](19_decoding.ipynb), from probabilities to a sentence.
