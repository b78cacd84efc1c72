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
# # 17b What each part is for
#
# *A detour from [17](17_train_it.ipynb): nothing later needs it. Back to the path: [18](18_debugging_a_training.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A layer has attention, and around it a residual connection, LayerNorm, a network and dropout. Are all of them needed? Take
# one part out and train the rest: what the model can no longer do is what the part was for.
#
# **After this you can** say what a model loses without each of these parts, and why; measure how much alike its vectors
# are, and how fast they grow.
#
# Paper: sections 3.1, 3.3 and 5.4. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics
from helpers.compare import compare
from helpers.expected import Expected
from helpers.parts_removed import fresh_model, held_out_losses, show_curves
from npformer_course import Bet

schematics.encoder_layer()

# %% [markdown]
# ## Four trainings
#
# The task is that of notebook 17: three to six digits, to be written in reverse order. The model has two layers on each
# side, 32 features and no dropout. In three of the four runs a part is missing in every layer: the residual connection, so
# that a box gives $\mathrm{LayerNorm}(f(x))$ and not $\mathrm{LayerNorm}(x + f(x))$; LayerNorm, so that it gives
# $x + f(x)$; or the network with its Add & Norm.

# %%
bet = Bet("Without which part does the model end worst?", ["residual", "LayerNorm", "network"])
bet.place(...)

# %%
curves = {"whole": held_out_losses(fresh_model(), 8)}
for part in ("residual", "LayerNorm", "network"):
    curves[f"without {part}"] = held_out_losses(fresh_model(part), 8)

ends = {part: curves[f"without {part}"][-1] for part in ("residual", "LayerNorm", "network")}
bet.settle(max(ends, key=ends.get))
show_curves(curves, epochs=range(1, 9))

# %% [markdown]
# The residual connection is missed most, by far: 1.6 nats, where the whole model has 0.1. Without LayerNorm or the network
# the model learns, and ends higher. (Which of the two is second depends on the seed.)
#
# But this is one task, one depth and one amount of data. For each part, let us look for the case in which it is missed.
#
# ## The residual connection keeps words apart
#
# Take an encoder of twelve layers, before any training, and a row of seven different tokens. How much alike are their
# vectors after each layer? The cosine of the angle between two vectors, $x \cdot y / (|x| |y|)$, is 1 where both point the
# same way.
#
# **Write it:** the cosine of each two rows of an array (7, 32).

# %%
from helpers.parts_removed import mean_of_pairs, show_alike, vectors_after_layers

x = vectors_after_layers(fresh_model(n_encoder_layers=12))[1]  # (7, 32), after layer 0

# %% tags=["hide-input"]
from helpers.parts_removed import cosines_between

expected = Expected(cosines=cosines_between(x))

# %%
cosines = ...  # (7, 7), from x
cosines = expected.check(cosines=cosines)

# %% tags=["hide-input"]
alike = {}
for name, settings in {"whole": {}, "without residual": {"without": "residual"}, "pre-norm": {"norm": "pre"}}.items():
    vectors = vectors_after_layers(fresh_model(n_encoder_layers=12, **settings))
    alike[name] = [mean_of_pairs(cosines_between(array)) for array in vectors]
show_alike(alike)

# %% [markdown]
# Without the residual connection all seven positions have nearly the same vector after two layers. Attention takes means,
# and weights that have not learned anything give nearly the same mean at every position. Which token was where is lost,
# and the layers above have nothing left to learn from. (Dong et al. derived this for attention in 2021.)
#
# With it, a layer *adds* to the vectors, and the mixing is slower. In post-norm it does happen: each LayerNorm scales down
# what came before, so the embeddings fade. In pre-norm, $x + f(\mathrm{LayerNorm}(x))$, nothing scales the sum down. The
# gradient has the same road back (notebook 12).
#
# ## LayerNorm keeps sizes
#
# A model this small does without it, if it starts with parameters of the right size. So make all matrices twice as large,
# and follow the standard deviation of the vectors through the four boxes of the encoder.

# %%
from helpers.parts_removed import show_sizes, sizes_after_boxes

factor = 2.0  # or 1, or 3
sizes = {
    "whole": sizes_after_boxes(fresh_model(factor=factor)),  # (5,), before the boxes and after each
    "without LayerNorm": sizes_after_boxes(fresh_model("LayerNorm", factor=factor)),
}
show_sizes(sizes)

# %% [markdown]
# **Write it:** the factor per box without LayerNorm, on average. Multiplied by it four times, the first of the five numbers
# becomes the last.

# %% tags=["hide-input"]
from helpers.parts_removed import growth_of

expected = Expected(growth=growth_of(sizes["without LayerNorm"]))

# %%
grown = sizes["without LayerNorm"]  # (5,)
growth = ...  # one number, from grown
growth = expected.check(growth=growth)
compare(growth, 2.7, "factor per box", tolerance=0.02)

# %% [markdown]
# After the paper's twelve boxes of an encoder the size would be near 180,000. Each sub-layer multiplies what it gets. LayerNorm
# sets every position back to the same size, so the next sub-layer always meets what it expects, however deep the model is
# and whatever training has done to its parameters. The price is information: the length of a vector is lost.
#
# ## The network computes
#
# Give attention a text of one position. There is one key, so softmax gives it the weight 1.
#
# **Write it:** what an attention without biases returns for one position.

# %%
from npformer.layers import FeedForward, SelfAttention

layer = SelfAttention(8, 2, rng=0, dtype="float64")
x = np.random.default_rng(0).normal(size=(1, 1, 8))  # one text, one position, eight features
w_query = layer.w_query.weight.data  # (8, 8), as are the other three
w_key = layer.w_key.weight.data
w_value = layer.w_value.weight.data
w_output = layer.w_output.weight.data

# %% tags=["hide-input"]
expected = Expected(attended=layer.forward(x)[0, 0])

# %%
attended = ...  # (8,), from x[0, 0] and some of the matrices
attended = expected.check(attended=attended)

# %% [markdown]
# That is a linear map, and a stack of linear maps is one linear map. The smallest function that is none is exclusive or:
# of two bits, is exactly one set? Train attention on it, and then the feed-forward network. A text is one position, with the
# two bits among its features.

# %%
from helpers.parts_removed import learn_exclusive_or
from helpers.pictures import show_arrays

by_attention = learn_exclusive_or(SelfAttention(8, 2, rng=0, dtype="float64"))
by_network = learn_exclusive_or(FeedForward(8, 32, rng=1, dtype="float64"))
answers = np.array([[0, 1, 1, 0], by_attention, by_network])
show_arrays(answers=answers, rows=["right", "attention", "network"], columns=["0 0", "0 1", "1 0", "1 1"])

# %% [markdown]
# Attention answers 0.5 four times, which is the best that a linear map can do. Attention *moves* information between
# positions, the network *computes* with what has arrived at one. (In a whole model it is not the only part that can:
# softmax over several keys and LayerNorm are not linear either.)
#
# **And dropout?** Only 200 of the 2,000 pairs, and one layer on each side: such a model can learn them by heart.

# %%
few = {}
for name, dropout in (("dropout 0.1", 0.1), ("dropout 0", 0.0)):
    model = fresh_model(dropout=dropout, n_encoder_layers=1, n_decoder_layers=1)
    few[name] = held_out_losses(model, 80, n_pairs=200)
show_curves(few, epochs=range(8, 81, 8))

# %% [markdown]
# Without dropout the loss on held-out pairs falls and rises again: from there on the model learns the pairs and not the
# rule. With dropout no number can rely on any other being there. It learns more slowly, and is better on new pairs, here by
# 0.2 nats. (From seeds 1 and 2 by 0.03 and 0.31.)
#
# ## Two questions
#
# **1.** Without LayerNorm the size grew by the same factor in each box. Pre-norm, $x + f(\mathrm{LayerNorm}(x))$, does not
# normalize the sum either. How does the size grow there?
#
# <details><summary>Answer</summary>
#
# Each sub-layer reads a normalized copy, so each adds about the same amount, however large $x$ is. After $n$ boxes the
# variance is about $n$ times that of one, and the standard deviation grows with $\sqrt{n}$. Without any norm each
# sub-layer multiplies what it finds, and the size grows like $2.7^n$.
#
# </details>
#
# **2.** Take out cross-attention. What can the decoder still learn, and how low can the loss of reversing get?
#
# <details><summary>Answer</summary>
#
# It never sees the source, so it is a language model of rows of digits. No model can guess a random digit with less than
# $\ln 10 = 2.30$ nats. A row has three to six digits, about equally often, so its length costs $\ln 4$. With 4.5 digits
# and one `<eos>` on average that is $(4.5 \ln 10 + \ln 4) / 5.5 = 2.14$ nats per token.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what is lost first without a residual connection: which token was where;
# - say why sizes grow without LayerNorm, and what it costs;
# - say what moves information and what computes, and when dropout helps.
#
# Exercise dropout: `npformer course start my-course`. Back to the path: [notebook 18](18_debugging_a_training.ipynb).
