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
# # 32e Checkpoint: part IV
#
# Ten questions on notebooks [26](26_looking_at_attention.ipynb) to [32](32_induction_heads.ipynb) and [the
# project](32d_project_a_head.ipynb), two of which are from parts I and II. Put your answer in place of the dots: a
# letter such as `"a"`, a number, or several in brackets such as `(2, 3)`. Work it out on paper; you may look things up.
# A wrong answer gets a hint, and you can try again.
#
# About 15 minutes with its writing. [Notation](../docs/reference/notation.md).

# %%
from npformer_course import Checkpoint

answer = Checkpoint(4)

# %% [markdown]
# **1.** A head links four words of a sentence, and there are four right links. Three of the head's are right. What is its
# alignment error rate?

# %%
answer("error_rate", ...)

# %% [markdown]
# **2.** You give all positions the same weight in one head, and the loss stays as it was. What have you shown?
#
# - a: The head does nothing.
# - b: The pattern of this head is not needed while all else stays.
# - c: Its weights were all equal before.

# %%
answer("flat", ...)

# %% [markdown]
# **3.** The logit of *aus* less that of *ein* is 6 if a translator reads "off", and -4 if it reads "on". Now it reads "off", but
# one head gets the result that it has with "on". The difference of the logits is then -1. What share of the way does
# this patch go?

# %%
answer("patch", ...)

# %% [markdown]
# **4.** How many times is a state passed on in an LSTM until the first of 50 tokens can have an effect at the last one?

# %%
answer("steps", ...)

# %% [markdown]
# **5.** With rotary positions, a query at position 7 and a key at position 4 have the score 1.3. What is it if the same two are at
# positions 107 and 104?

# %%
answer("rotary", ...)

# %% [markdown]
# **6.** The KV cache of a model with eight heads takes 16 MB. How many MB does it take if the eight heads share two heads of keys
# and values?

# %%
answer("groups", ...)

# %% [markdown]
# **7.** A text is ... A B C D A. Where does an induction head look from the last A?
#
# - a: at the A before
# - b: at the D just before it
# - c: at the B after the A before

# %%
answer("induction", ...)

# %% [markdown]
# **8.** A query gives four values the same weight. One feature of the values is 1, 2, 3 and 6. What is this feature of the result?

# %%
answer("uniform", ...)

# %% [markdown]
# **9.** A key is used by two heads of queries. One passes back the gradient (1, 2), the other (3, -1). What is the gradient of the
# key?

# %%
answer("shared", ...)

# %% [markdown]
# **10.** With zeros in place of a head's result the loss rises by 1.5. With its mean result in many texts it rises by 0.1. What
# follows?
#
# - a: What the head says of the text at hand is worth 1.5 nats.
# - b: Nearly all that is missed is the same in every text, and the layers above count on it.
# - c: The mean knows the text at hand, so this was no ablation.

# %%
answer("ablate", ...)

# %% [markdown]
# How did it go?

# %%
answer.score()

# %% [markdown]
# Two detours of notebook 32 are there for another day: [32b](32b_importing_a_model.ipynb) imports models that others
# have trained, and [32c](32c_inside_a_real_model.ipynb) asks what their heads look at.
#
# This was the last page of the course. You have written a Transformer, trained it, used it and looked into it. What
# would you like to know about the models that everybody uses? You know how one finds out.
