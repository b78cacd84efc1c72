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
# # 06 One encoder layer in numbers
#
# *Part I, See it. Before: [05](05_embedding_and_positions.ipynb). Next: [07](07_encoder_and_decoder.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Attention has brought "the" something of "radio". But it only takes means, and it has one third of a layer's parameters.
# What do the other two thirds do with what it brought? Follow one word through a whole layer of the translator.
#
# **After this you can** write the residual connection, LayerNorm and the feed-forward network, say what each does to a
# word's numbers, and put a layer together.
#
# Paper: sections 3.1 and 3.3, figure 1 left. About 35 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.course_sentence import CourseSentence, tally
from helpers.expected import Expected
from helpers.one_layer import entering_network, forward_steps, show_hidden, show_norms
from helpers.pictures import show_arrays
from helpers.schematics import encoder_layer
from npformer_course import Bet, exercise

encoder_layer()

# %% [markdown]
# ## Attention only adds
#
# Here are two arrays of encoder layer 0: what goes into multi-head attention (the vectors of notebook 05), and what comes
# out. How large are they? The *norm* of a row is the length of the vector.

# %%
sentence = CourseSentence()
tokens = sentence.source_words
attention = sentence.arrays("encoder.layers.0.self_attention.sublayer")
x = attention["x"]  # (10, 64)
attended = attention["output"]  # (10, 64)
show_norms(tokens, x=x, attended=attended)

# %% [markdown]
# What attention brings is small. If it took the place of the word, the word would be gone. So the paper adds it to what
# went in, and calls that the *residual connection*: $z = x + f$, where $f$ is what came out of the sub-layer. A sub-layer
# only has to say what to change, and one that returns 0 changes nothing. (He et al. invented it in 2015 for networks that
# look at images. Until then more layers had made these worse; now they had 152.)
#
# **Write it** for one position.


# %%
def residual(x, f):
    """Return z (D,), the sum of what went into a sub-layer and of what it computed.

    x (D,), f (D,). None of the inputs is changed.
    """
    raise NotImplementedError


# %%
residual = exercise("one_position").check(residual)

# %%
word = "the"  # or another word of the sentence
place = tokens.index(word)
z = residual(x[place], attended[place])  # (64,)
rows = ["x", "attended", "z"]
show_arrays(of_the_word=np.stack([x[place], attended[place], z]), rows=rows)

# %% [markdown]
# The three have one scale, and on it `attended` is almost white. That is the point: the third row is hard to tell from the
# first, and "the" has become "the, next to a radio".
#
# ## LayerNorm brings every word to one size
#
# The norms in the figure go from 7 to 11, and every sum changes them again. The next box would have to cope with whatever
# size it gets. So **LayerNorm** (Ba et al. 2016) follows each sum. For each position it subtracts the mean of the
# features, and divides by their standard deviation:
#
# $$\mu = \frac1D \sum_j z_j, \qquad \sigma^2 = \frac1D \sum_j (z_j - \mu)^2, \qquad
# y_i = g_i\,\frac{z_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b_i$$
#
# In the picture at the top the first sum is $z = (2, 0, 1, 1)$. Its mean is 1, the distances from it are $(1, -1, 0, 0)$,
# their mean square is $\frac12$, and divided by the root of that they are $(1.41, -1.41, 0, 0)$. The gain $g$ and the
# bias $b$ are parameters, one of each per feature: training may choose another scale. $\varepsilon = 10^{-6}$ only
# prevents a division by 0.
#
# **Write it** for one position.


# %%
def normalize(z, gain, bias, eps):
    """Return y (D,): z normalized over its features, then scaled and shifted.

    z (D,), gain (D,), bias (D,), eps a number above 0. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
normalize = exercise("one_position").check(normalize)

# %%
layer = sentence.model.encoder.layers[0]
norm = layer.self_attention.norm
sums = x + attended  # (10, 64), z of all words
normalized = np.stack([normalize(z, norm.gain.data, norm.bias.data, norm.eps) for z in sums])
show_norms(tokens, sums=sums, normalized=normalized)

# %% [markdown]
# Now all words have a norm of about 8. That is $\sqrt{64}$: 64 features with a mean square of 1.
#
# ## The feed-forward network asks questions
#
# So far there were means, sums and scales. The network of section 3.3 can do more. It works on each position by itself:
#
# $$h = \max(0,\; x W_1 + b_1), \qquad y = h\,W_2 + b_2$$
#
# $W_1$ makes F = 256 *hidden features* of the 64. Each is a dot product, like a score in attention, but with a column of
# parameters and not with a key. It asks the word one question. Where the answer is below 0, $\max(0, \cdot)$, called
# *ReLU*, makes it 0: the feature is *off*. $W_2$ puts together what the others say, those that are *on*.
#
# **Write it** for a batch, with `linear`.


# %%
def linear(x, w, b):
    """Return x w + b."""
    return x @ w + b


# %%
def feed_forward(x, w1, b1, w2, b2):
    """Return y (B, T, D) and hidden (B, T, F), the hidden numbers after the ReLU.

    x (B, T, D), w1 (D, F), b1 (F,), w2 (F, D), b2 (D,). None of the inputs is changed.
    """
    raise NotImplementedError


# %%
feed_forward = exercise("feed_forward").check(feed_forward)

# %%
network = layer.feed_forward.sublayer
w1 = network.linear_1.weight.data  # (64, 256)
b1 = network.linear_1.bias.data
w2 = network.linear_2.weight.data  # (256, 64)
b2 = network.linear_2.bias.data
network_output, hidden = feed_forward(normalized[None], w1, b1, w2, b2)
show_arrays(hidden=hidden[0], rows=tokens)

# %%
n_on = (hidden[0] > 0).sum(-1)
show_arrays(n_on=n_on, columns=tokens)

# %% [markdown]
# For "the", 61 of the 256 features are on, and for other words others are on. What do they ask? Take number 79, and let it
# look at nouns:

# %%
nouns = ["computer", "letter", "coat", "doctor", "radio", "lamp", "book", "woman"]


def hidden_of_nouns(feature):
    """Return a hidden feature of each noun, (N,)."""
    sentences = [f"I turn off the new {noun} every day." for noun in nouns]
    entering = entering_network(sentence.translator, sentences)  # (N, 10, 64)
    _, hidden = feed_forward(entering, w1, b1, w2, b2)
    return hidden[:, 5, feature]  # the noun is at position 5


show_hidden(nouns, hidden_of_nouns(79), 79)

# %% [markdown]
# What do the first four have in common in German? They are *der* Computer, *der* Brief, *der* Mantel, *der* Arzt, and the
# others *das* Radio, *die* Lampe, *das* Buch, *die* Frau.

# %%
bet = Bet("For which of these three is hidden feature 79 on?", ["apple", "milk", "bread"])
bet.place(...)

# %%
nouns = ["apple", "milk", "bread", "suitcase", "jacket", "shirt"]
asked = hidden_of_nouns(79)
bet.settle(nouns[asked[:3].argmax()])
show_hidden(nouns, asked, 79)

# %% [markdown]
# It asks for a *German* gender: it is on for *der* Apfel and *der* Koffer too, and off for *die* Milch, *die* Jacke, *das*
# Brot and *das* Hemd. English nouns have no gender. But "the" becomes *den*, *die* or *das* by it, so training has made a
# feature for it, in the encoder, which reads only English.
#
# We searched for this one: of the 256, number 79 tells best. It is on for 19 of the 21 masculine nouns that we tried, for
# some of them hardly, and for 2 of 21 others. Most features have no such simple name.
#
# ## The layer, complete
#
# The network also only adds, and LayerNorm follows. **Write the last step** for your word, in one line with your own
# functions.

# %%
norm_2 = layer.feed_forward.norm
gain, bias, eps = norm_2.gain.data, norm_2.bias.data, norm_2.eps
before = normalized[place]  # what went into the network
added = network_output[0, place]  # what it computed

# %% tags=["hide-input"]
expected = Expected(result=sentence.arrays("encoder.layers.0")["output"][place])
the_sum = sentence.arrays("encoder.layers.0.feed_forward.norm")["x"][place]
expected.say("it is the sum, and LayerNorm is still to come", result=the_sum)

# %%
result = ...  # (64,), what leaves encoder layer 0
result = expected.check(result=result)

# %% [markdown]
# It was compared with what leaves layer 0 of the library. Here is the way of the word, from the bottom of the picture to
# its top:

# %%
stages = {"x": x[place], "attended": attended[place], "normalized": before, "network": added, "result": result}
show_arrays(of_the_word=np.stack(list(stages.values())), rows=list(stages))

# %%
show_norms(tokens, attended=attended, network=network_output[0])

# %% [markdown]
# In this layer the network adds much more to a word than attention does. It has 33,088 of the layer's 49,984 parameters,
# two thirds, because there are four times as many hidden features. Attention fetches something from other words, and
# the network makes something of it.

# %%
tally("w_query", "w_key", "w_value", "w_output", "embedding", "norm", "linear_1", "linear_2")

# %% [markdown]
# That is all of them: the decoder is made of the same parts. (Most later models put LayerNorm in front of the sub-layer and leave
# the sum as it is: *pre-norm*. Detour: [17b](17b_what_each_part_is_for.ipynb) takes out one part after the other.)
#
# The library computes the same in nearly the same lines. Its *step debugger* goes through the second half of the layer, a
# line at a time, with the numbers of our sentence. Use the arrow keys, and find your line with the ReLU: it is in
# `npformer/layers/activations.py`. (GitHub cannot show the debugger: run the notebook to see it.)

# %%
forward_steps(sentence, "encoder.layers.0.feed_forward")

# %% [markdown]
# ## Two questions
#
# **1.** How many parameters would the network need without ReLU, for all that it could do then?
#
# <details><summary>Answer</summary>
#
# 4,160 in place of 33,088. $(xW_1 + b_1)W_2 + b_2 = x\,(W_1W_2) + (b_1W_2 + b_2)$ is one matrix (64, 64) and one bias
# (64,). All those hidden features would be there for nothing.
#
# </details>
#
# **2.** Somebody sets hidden feature 79 to 0 for all words. Will the translator write *das neue Computer*?
#
# <details><summary>Answer</summary>
#
# No. We tried it with twelve nouns, and no translation changed. Numbers 46 and 55 too are on for most masculine nouns of
# our 21, and layer 1 has another 256 features. To know that a feature tells something is not to know that the model needs
# it.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write what figure 1 calls *Add & Norm* and *Feed Forward*;
# - say what each does to a word: attention adds something of others, the network something of its own, and LayerNorm brings
#   it back to one size;
# - compute what leaves an encoder layer.
#
# The exercises `layer_norm` and `add_norm` do it for a batch, in post-norm and pre-norm. Next:
# [notebook 07](07_encoder_and_decoder.ipynb), how layers become an encoder and a decoder.
