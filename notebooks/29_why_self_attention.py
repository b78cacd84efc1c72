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
# # 29 Why self-attention
#
# *Part IV, Understand it. Before: [28](28_lstm_with_attention.ipynb). Next: [30](30_rotary_positions.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Recurrences and convolutions read sentences well before 2017. The paper throws both out, and one often hears that
# attention was simply cheaper. Was it? What was bought, and for what price?
#
# **After this you can** count the multiply-adds of a layer; find the longest path between two positions; say which of
# the three numbers of table 1 is an advantage of self-attention, and which is not.
#
# Paper: section 4 and table 1. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import why_attention
from helpers.schematics import short_paths
from npformer_course import Bet

short_paths()

# %% [markdown]
# ## Four layers with one job
#
# All of them take $n$ vectors of $d$ features to $n$ vectors of $d$ features, and let positions learn of each other:
#
# - **self-attention**: each position looks at all others;
# - a **recurrence**: each position hears from the one before it. The simplest is $h_t = \tanh(x_t W + h_{t-1} U)$, with
#   $(d, d)$ matrices $W$ and $U$. The LSTM of notebook 28 is another;
# - a **convolution** of width $k = 3$: each position sees itself and one neighbor on either side;
# - **restricted** self-attention: each position looks at $r = 8$ neighbors, four on either side, and at itself.
#
# How much is there to multiply? A product of an $(a, b)$ and a $(b, c)$ matrix takes $a \cdot b \cdot c$
# **multiply-adds**: one for each pair of numbers that meet. Start with what positions have to do with each other. In
# attention these are two products, $Q K^\top$ for the scores and weights times $V$. Call the features of all heads
# together $d$. In the simplest recurrence they are $x_t W$ and $h_{t-1} U$, at each of $n$ steps.
#
# **Write it:** both numbers, for three lengths $n$ at once, and the length at which they are equal.

# %% tags=["hide-input"]
expected = why_attention.multiply_adds_to_write()

# %%
n = np.array([30, 300, 3000])
d = 512
attention = ...  # from n and d
recurrence = ...  # from n and d
crossing = ...  # one length

# %%
attention = expected.check(attention=attention)
recurrence = expected.check(recurrence=recurrence)
crossing = expected.check(crossing=crossing)

# %% [markdown]
# Without their factors these are in the first column of table 1:
#
# | self-attention | recurrence | convolution | restricted self-attention |
# |---|---|---|---|
# | $O(n^2 d)$ | $O(n d^2)$ | $O(k n d^2)$ | $O(r n d)$ |
#
# Sentences are shorter than your `crossing`, so the paper concludes that self-attention is faster than a recurrence,
# and here most texts stop. But an $O$ leaves out what your computer has to do. Take everything that a layer multiplies,
# for the paper's base model and a sentence of 30 words.

# %%
options = ["attention", "LSTM", "convolution"]
bet = Bet("Which whole layer has the fewest multiply-adds, n = 30 and d = 512?", options)
bet.place(...)

# %% [markdown]
# Now the factors. Each matrix below is $(d, d)$. Self-attention also has four projections, $W^Q$, $W^K$, $W^V$ and
# $W^O$. The LSTM makes three gates and an offer, and multiplies $x_t$ and $h_{t-1}$ by a matrix for each of these four.
# The convolution has a matrix for each of the $k$ positions that it sees. **Write it:** the multiply-adds of the whole
# layers.

# %%
n_words = 30
whole = ...  # three numbers: self-attention, LSTM, convolution

# %%
whole = expected.check(whole=whole)
bet.settle(options[int(np.argmin(whole))])

# %% tags=["hide-input"]
why_attention.plot_multiply_adds([30, 1024, 4096])

# %% [markdown]
# A convolution of width 3 always has fewer than self-attention. So does your simple recurrence: it has fewer than the
# projections by themselves. Only an LSTM has more, up to $n = 2d = 1024$. And the projections, which grow only linearly
# in $n$, are nearly all that a sentence pays for. Look for the orange in the first panel: it is less than 3 %.
#
# So it is not for fewer multiplications.
#
# ## How far is it from one end to the other?
#
# "Learning long-range dependencies is a key challenge", says section 4, and it is easier where the path between two
# positions is short. In notebook 28 you saw why: what lies on the way multiplies the gradient. This is the last column
# of table 1.
#
# Take 33 positions, 0 to 32. **Write it:** how many layers have to be stacked until position 32 can learn of position
# 0? For self-attention, an LSTM, the convolution ($k = 3$), and restricted self-attention ($r = 8$).

# %% tags=["hide-input"]
expected = why_attention.layers_to_write()

# %%
layers = ...  # four numbers
layers = expected.check(layers=layers)

# %% [markdown]
# A path need not be believed. It can be *found*: give only the last position a gradient, send it back through the
# stack, and see where it arrives. Where it is exactly 0, there is no path. Each row below is a stack, of one to eight
# layers, and each column one of the 33 positions. A color is a power of ten, relative to the largest gradient of its
# row. Hatched is 0. (A *dilated* convolution also sees three positions, but in the first four layers of a stack they
# are 1, 3, 9 and 27 apart. The fifth layer starts over with 1.)

# %% tags=["hide-input"]
why_attention.show_reach()

# %% [markdown]
# The stairs of the third and the last picture are your numbers: with each layer they go as far as one layer sees to one
# side. The whole path of restricted attention is the faint cell at the lower left. Dilations make it about a logarithm
# of the distance: five layers here.
#
# Self-attention has everything in the first row. But so has the LSTM! Counted in layers it is as good. Look closer at
# this one row.

# %% tags=["hide-input"]
why_attention.plot_gradient_in_one_layer()

# %% [markdown]
# In self-attention position 0 gets about as much as the others, near or far. In the LSTM the gradient has gone through
# every state in between, and at position 0 it is 1,900 times smaller than where it is largest. (The parameters are
# random in all of them. Training can open the gates of an LSTM; the way stays as long.) It is *one* layer, and there
# are 32 steps inside it.
#
# ## What has to wait
#
# So count what is inside: how many matrix products have to wait for the result of the one before them. In
# self-attention 4 follow one another, whatever $n$ is: a projection, $Q K^\top$, the weighted sum, $W^O$. In the LSTM
# there are $n$, one for each word. This is the middle column of table 1, "sequential operations". Times the number of
# layers, it is the length of the path in products:

# %%
lengths = [9, 17, 33, 65]
products = why_attention.products_in_a_row(lengths)

# %% tags=["hide-input"]
why_attention.plot_products(lengths, products)

# %% [markdown]
# Only one line is flat, and that of dilated convolutions nearly. (Convolution and restricted attention happen to agree:
# many layers of one product, or fewer layers of four.) Short paths are one gain. The other is that products which do
# not wait can be computed at once. At $n = 2d$ the LSTM and self-attention have the *same* number of multiply-adds. If
# the LSTM takes longer there, the reason is not more multiplying: it multiplies in $n$ steps, with gates in each. Below
# is how many times as long the LSTM takes, on one core of the machine that made this page:

# %%
why_attention.seconds_at_equal_work(widths=[32, 128], batches=[1, 16])

# %% [markdown]
# It loses most where its steps are small. With large steps less is left of the difference on *one* core, which computes
# one thing after another anyway. A graphics processor computes thousands of things at once, if they do not wait for
# each other (not measured here). "Faster" is a statement about sizes and machines. That few products wait, and that
# every path is short, are statements about the layer.
#
# The price is what grows with $n^2$. With $n = 10{,}000$ and $d = 64$ self-attention has about seventy times the
# multiply-adds of restricted attention. But restricted attention gives up what was bought: its paths are
# long again.
#
# ## Three questions
#
# **1.** In the picture of eight layers the LSTM's first row is darkest at the right, its last row at the left: there
# position 0 has the *largest* gradient. How can that be?
#
# <details><summary>Answer</summary>
#
# Only one path leads from position 32 straight down to itself, and each of eight layers makes it smaller. To position 0
# lead 15 million: each of the 32 steps back can be made in any layer. Every one of them is weak, and they add up. None
# of them is shorter than in one layer.
#
# </details>
#
# **2.** While it *writes*, a decoder makes one word after another. Has self-attention then still $O(1)$ sequential
# operations?
#
# <details><summary>Answer</summary>
#
# No. The next word is an input of the step that follows, so the steps wait for each other, as in a recurrence. Only in
# training, where all words are known, and in the encoder are all positions computed at once. That is why decoding keeps
# keys and values of earlier words (notebook 25), and why it is slow.
#
# </details>
#
# **3.** Must every recurrence wait? Take $h_t = a_t h_{t-1} + b_t$, where $a_t$ and $b_t$ are made of $x_t$ and not of
# $h_{t-1}$.
#
# <details><summary>Answer</summary>
#
# No. Two such steps in a row are one of the same form: $h_t = a_t a_{t-1} h_{t-2} + (a_t b_{t-1} + b_t)$. So the steps
# can be joined in pairs, the pairs in fours, and so on, in about $\log_2 n$ rounds. Newer models such as Mamba (Gu and
# Dao 2023) are built on this. An LSTM cannot do it, because its gates read $h_{t-1}$.
#
# </details>

# %% [markdown]
# **You can now**
#
# - count multiply-adds, and see what an $O$ leaves out;
# - find the longest path of a stack by sending a gradient back;
# - say what the paper bought: paths of one layer, and nothing that waits for the word before.
#
# Next: [notebook 30](30_rotary_positions.ipynb), what has changed since 2017. `npformer table1` measures all of table
# 1, up to $n = 4096$ and $d = 512$, in minutes.
