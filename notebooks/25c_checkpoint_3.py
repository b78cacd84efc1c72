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
# # 25c Checkpoint: part III
#
# Ten questions on notebooks [19](19_decoding.ipynb) to [25](25_kv_cache.ipynb), three of which need parts I and II too.
# Put your answer in place of the dots: a letter such as `"a"`, a number, or several in brackets such as `(2, 3)`. Work it
# out on paper; you may look things up. A wrong answer gets a hint, and you can try again.
#
# About 15 minutes with its writing. [Notation](../docs/reference/notation.md).

# %%
from npformer_course import Checkpoint

answer = Checkpoint(3)

# %% [markdown]
# **1.** The first word is A with a probability of 0.6, or B with 0.4. After A the best next word has 0.3, after B 0.9, and then
# the sentence ends. A beam of two keeps both. What is the probability of the sentence that it returns?

# %%
answer("beam", ...)

# %% [markdown]
# **2.** A text consists of the words *hug*, *pug* and *hugs*. Which pair does byte-pair encoding join first?
#
# - a: h and u
# - b: u and g
# - c: g and s

# %%
answer("merge", ...)

# %% [markdown]
# **3.** The translation is "the the the the", the reference "the cat sleeps here". What is the precision of single words in BLEU?

# %%
answer("clipped", ...)

# %% [markdown]
# **4.** With 300 sentences the difference of two models has a standard error of 1.0. What is it with 1,200 sentences of the same
# kind?

# %%
answer("interval", ...)

# %% [markdown]
# **5.** A beam of 4 (without a length penalty) got four sentences wrong. For each, the logarithm of the probability that the model
# gives to the translation that was found, and to the right one:
#
# | | 1 | 2 | 3 | 4 |
# |---|--:|--:|--:|--:|
# | found | -2.3 | -4.1 | -1.2 | -2.6 |
# | right | -3.5 | -3.2 | -8.4 | -2.7 |
#
# How many of the four could a better search get right?

# %%
answer("search", ...)

# %% [markdown]
# **6.** Two tokens have the logits 2 and 0. How many times as probable as the second is the first, at a temperature of 0.5?

# %%
answer("temperature", ...)

# %% [markdown]
# **7.** The probabilities are 0.5, 0.25, 0.15 and 0.1. What is the probability of the first token with `top_p = 0.8`?

# %%
answer("nucleus", ...)

# %% [markdown]
# **8.** Two layers, four heads of 16 features each. How many numbers does the KV cache of a language model hold after 10 tokens?

# %%
answer("cache", ...)

# %% [markdown]
# **9.** A translator with a cache writes its fifth word; the source has ten tokens. How many scores does one head of
# cross-attention compute at this step?

# %%
answer("cross", ...)

# %% [markdown]
# **10.** A language model gives the right character 0.7. What is the gradient of the loss of this position with respect to the logit
# of the right character?

# %%
answer("pull", ...)

# %% [markdown]
# How did it go?

# %%
answer.score()

# %% [markdown]
# Next: [notebook 26](26_looking_at_attention.ipynb), what a trained model looks at.
