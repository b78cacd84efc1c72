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
# **The idea:** before the Transformer, sentences were read by recurrences and convolutions. Self-attention does not
# win by multiplications: a convolution of width 3 always takes fewer, and an LSTM takes fewer as soon as a sentence is
# longer than twice the width of the model ($n > 2d$). What it buys is short paths: no position waits for another, and
# every position is one layer away from every other.
#
# Paper: section 4 and table 1. Code: `npformer/paper/table1/`, which measures what the table claims, and
# `npformer/layers/extra/`, whose layers are measured.
#
# **What you need before:** notebooks 04, many heads, and 05c, the backward of each layer.
# About 30 minutes to read and run, 45 with every change and question.

# %%
# %matplotlib inline
from math import comb

import numpy as np

import npformer as npf
from helpers.pictures import plot_reach
from npformer.layers import LocalAttention, SelfAttention, Softmax
from npformer.paper.table1 import (
    KINDS,
    Size,
    Table1,
    gradient_by_position,
    layers_between_ends,
    measure_costs,
    plot_layer_costs,
)
from npformer.utils.threads_and_memory import keep_freed_memory
from npformer.visualization.plots import new_figure

ATTENTION, LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS

# %% [markdown]
# ## Layers with one job
#
# All of them take $n$ vectors of $d$ numbers to $n$ vectors of $d$ numbers, and let positions learn of each other:
#
# - **self-attention**: each position looks at all others (equation 1, with four projections);
# - **recurrence**, here an LSTM: each position hears from the one before it, $h_t = f(x_t, h_{t-1})$;
# - **convolution**: each position sees the $k$ around it, here $k = 3$; **dilated**, it sees every third, ninth, ...;
# - **restricted** self-attention: each position looks at $r$ neighbors and itself, here $r = 8$.
#
# The cost of a layer is counted in multiply-adds: a product of an $(a, b)$ and a $(b, c)$ matrix takes $a \cdot b \cdot
# c$ of them. In all five layers each of the $n$ positions meets each weight once. Attention adds $2d$ for each score:
# $d$ to compute it from a query and a key, and $d$ to weight a value by it. So look into the layers and count weights
# and scores:

# %%
size = Size(64, 32, k=3, r=8)  # change the 64 to 128 and run it again: which factors of n d^2 change?
print(f"{'':18} weights   scores  multiply-adds")
for kind in KINDS:
    layer = kind.build(size, 0, rng=0)
    with npf.trace(layer, depth=None) as trace:
        layer.forward(size.input("float32"))
    weights = sum(p.data.size for p in layer.parameters() if p.data.ndim > 1)  # without biases
    scores = sum(record.inputs[0].size for record in trace.records if isinstance(record.layer, Softmax))
    total = size.n * weights + 2 * size.d * scores
    print(f"{kind.name:18}{weights:8,} {scores:8,} {total:14,} = {total / size.n / size.d**2:4.2f} n d^2")
    assert total == kind.multiply_adds(size)  # the formula of the table below

# %% [markdown]
# | layer | multiply-adds | in table 1 | the weights are |
# |---|---|---|---|
# | self-attention | $4 n d^2 + 2 n^2 d$ | $O(n^2 d)$ | four projections |
# | recurrence (LSTM) | $8 n d^2$ | $O(n d^2)$ | four gates, for $x_t$ and for $h_{t-1}$ |
# | convolution, also dilated | $k n d^2$ | $O(k n d^2)$ | $k$ matrices |
# | restricted self-attention | $4 n d^2 + 2 \cdot 24\, n d$ | $O(r n d)$ | four projections |
#
# Table 1 leaves out the projections, and its recurrence is the simplest one, $h_t = f(h_{t-1} U)$. An $O$ may leave
# that out. Your computer may not, so we come back to it. By definition restricted attention has $r + 1 = 9$ scores per
# position. The layer computes 24: it cuts the sequence into blocks of 16 positions and multiplies each block with all
# $4 + 16 + 4$ keys that any of its positions may look at, because a few large products are faster than many small ones.
#
# If you double $n$, only self-attention's factor of $n d^2$ changes, from 8 to 12: in all others each position does the
# same work in a longer sequence.
#
# ## How far is it from one end to the other?
#
# The third column of table 1 is the longest path between two positions. "Learning long-range dependencies" is easier
# where it is short, says section 4. A path can be *found*: let the last position alone have a gradient, send it back,
# and look at which positions it reaches. Where the gradient is exactly 0 there is no path. Each row below is a stack of
# layers, one to eight, and each column one of 33 positions. Blank is 0. A color is a power of ten, relative to the
# largest gradient *of its row*.

# %%
size = Size(33, 8, k=3, r=8)
figure, axes = new_figure(1, 5, width=11, height=2.8)
plot_reach(axes, KINDS, size, n_layers=8)  # change k above to 5 and run it again: which pictures change, and how?
figure

# %%
for kind, reach in ((CONVOLUTION, size.k // 2), (RESTRICTED, size.r // 2)):
    for n_layers in (1, 2, 4):
        reached = gradient_by_position(kind, size, n_layers) > 0
        assert reached.argmax() == 32 - reach * n_layers and reached[32 - reach * n_layers :].all()
one_layer = {kind.name: gradient_by_position(kind, size, 1) for kind in (ATTENTION, LSTM)}
assert all((norms > 0).all() for norms in one_layer.values())
spread = {name: norms[:-1].max() / norms[0] for name, norms in one_layer.items()}
for name, times in spread.items():
    print(f"{name:18} largest gradient of the others: {times:.0f} times the first position's")
assert spread["self-attention"] < 10 < 500 < spread["recurrent (LSTM)"]
print("LSTM layers    paths to the first position    its gradient / that of the last position")
for n_layers in (1, 2, 4, 8):  # one path from the last position to itself
    n_paths = comb(32 + n_layers - 1, n_layers - 1)  # 32 steps back, each in one of the layers
    norms = gradient_by_position(LSTM, size, n_layers)
    print(f"{n_layers:11} {n_paths:30,} {norms[0] / norms[-1]:43,.4g}")
assert norms.argmax() == 0

# %% [markdown]
# A convolution with $k = 3$ moves one position per layer (two with $k = 5$), restricted attention half its
# neighborhood. The LSTM is the case to look at twice. *One* layer, row 1, reaches the first position, but inside that
# layer the gradient has gone through every step in between, and they have made it 1,900 times smaller ([notebook
# 28](28_lstm_with_attention.ipynb) shows by which factor). A count of layers cannot see this. A count of products
# can.
#
# Further down the picture turns around: through eight layers the first position has the *largest* gradient. Only one
# path leads from the last position straight down to itself, and each layer makes it smaller. 15 million lead to the
# first, because each of the 32 steps back can be made in any layer. Every one of them is weak, but they add up. And
# each is as long as before.
#
# ## Sequential operations
#
# The second column of table 1 is "sequential operations": how many matrix products have to wait for the result of the
# one before them. No number of cores can compute these at once. The third is the longest path. We find the number of
# layers from one end to the other with the gradients of above, and multiply it by the products in a row of one layer.

# %%
lengths = (9, 17, 33)  # add 65 and run it again


def print_row(name, *columns):
    print(f"{name:18}", *("".join(f"{number:6}" for number in column) + "  " for column in columns))


titles = ("steps of a layer", "layers to the end", "path in products")
print(f"{'':18}", *(f"{title:>{6 * len(lengths)}}  " for title in titles))
print_row("n =", lengths, lengths, lengths)
paths = {}
for kind in KINDS:
    sizes = [Size(n, 4, r=8) for n in lengths]
    steps = np.array([kind.steps(size) for size in sizes])
    n_layers = np.array([layers_between_ends(kind, size) for size in sizes])
    paths[kind.name] = steps * n_layers
    print_row(kind.name, steps, n_layers, paths[kind.name])

# %% tags=["hide-input"]
for i, n in enumerate(lengths):
    assert paths["self-attention"][i] == 4 and paths["recurrent (LSTM)"][i] == n
    assert paths["convolution"][i] == n - 1 and paths["restricted"][i] == n - 1
assert paths["dilated"][2] < 33 // 3

# %% [markdown]
# In self-attention 4 products follow one another (a projection, $QK^T$, the weighted sum, $W^O$), whatever $n$ is. One
# layer of the LSTM has $n$ of them in a row, one per word, and this is its path, $O(n)$ in the paper; that *one layer*
# spans it does not make it shorter. A convolution of width $k$ needs $2(n-1)/(k-1)$ layers, where the paper's text says
# $n/k$. Dilated it is about a logarithm, as in its table, but in jumps: dilations 1, 3, 9 and 27 reach 40 positions
# back, and for $n = 65$ they start again, which takes 8 layers. (At $n = 33$ the only path of four layers, $-27-9+3+1$,
# would leave the sequence on its way, so it takes five.) Restricted attention needs $2(n-1)/r$ layers of 4 products,
# which with $r = 8$ happens to be $n - 1$ too.
#
# ## Operations, and seconds
#
# `measure_costs` times all layers, forward and backward, in turns, in seconds of the processor. Below are the exponents
# in $n$ and $d$ that fit best over the larger sizes, of the multiply-adds by the formulas above and of what the clock
# says, next to the paper's. The formulas are the same everywhere. The seconds are those of one core of the machine that
# made this page, at two small widths: run it on yours.

# %%
keep_freed_memory()  # as npformer train does: else the clock measures how the system clears large arrays
LENGTHS, WIDTHS = (32, 64, 128, 256, 512, 1024), (32, 128)  # change the widths to (64, 256) and run it again
table = Table1(list(measure_costs(LENGTHS, WIDTHS, r=8, turns=3)), k=3, r=8)
print(table.operations())
counted = {kind.name: table.exponent("multiply_adds", kind, d=WIDTHS[0]) for kind in KINDS}
assert 1.6 < counted["self-attention"] < 2 and all(abs(counted[kind.name] - 1) < 0.05 for kind in KINDS[1:])

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=10, height=3.8)
for ax, d in zip(axes, WIDTHS, strict=True):
    plot_layer_costs(ax, table, d)
axes[0].set_ylabel("seconds, forward and backward")
figure

# %% [markdown]
# By formula the exponent of self-attention is below 2 because of its projections, which grow with $n$ alone. By the
# clock convolutions and restricted attention seem to grow more slowly than $n$, because at these lengths starting the
# calls is a large part of the time. The clock's exponents in $d$ are smaller than the others: narrow matrices are
# multiplied at a fraction of the speed of wide ones, so that doubling $d$ costs less than four times as much. The LSTM
# shows it most: at these widths, starting one of its $n$ small steps costs more than what the step computes.
#
# ## Below which n is self-attention cheaper?
#
# The paper: "self-attention layers are faster than recurrent layers when the sequence length $n$ is smaller than the
# representation dimensionality $d$". That compares $n^2 d$ with $n d^2$ as if all constants were 1. With the constants
# of this page $4 n d^2 + 2 n^2 d < 8 n d^2$ when $n < 2d$: with $d = 512$, up to 1,024 words. Against the simplest
# recurrence that reads an input, $2 n d^2$, self-attention never needs fewer multiplications.
#
# At $n = 2d$ both layers make the *same* number of multiplications, so the ratio of their seconds shows what it costs
# to make them in $n$ steps. With a batch of 16 each step multiplies a matrix of 16 rows and not a vector.

# %%
print("LSTM's seconds / self-attention's, at n = 2d")
for d, batch in ((32, 1), (32, 16), (128, 1), (128, 16), (256, 1)):  # add (512, 1) and run it again
    ours, theirs = measure_costs((2 * d,), (d,), batch=batch, turns=2, kinds=[ATTENTION, LSTM])
    print(f"d {d:3}, batch {batch:2}: {theirs.seconds / ours.seconds:5.1f}")
    assert ours.multiply_adds == theirs.multiply_adds

# %% [markdown]
# The LSTM loses most where its steps are small. Where they are large, less is left of the difference on *one core*,
# which computes one thing after another anyway. A graphics processor can compute thousands of things at once, if they
# do not wait for each other (not measured here). So "self-attention is faster" is a statement about sizes and machines.
# That few products follow one another in it, and that all paths are short, is a statement about the layer.
#
# Nor does every recurrence have to wait. In $h_t = a_t h_{t-1} + b_t$, where $a_t$ and $b_t$ do not depend on $h$, the
# steps can be joined in pairs, the pairs in fours, and so on: a parallel scan needs about $\log_2 n$ rounds. Newer
# models such as Mamba (Gu and Dao 2023) are built on it. An LSTM cannot do this, because its gates read $h_{t-1}$.
#
# ## Restricted self-attention
#
# For long sequences the paper proposes to look at $r$ neighbors only (section 4). It is exact: full attention with a
# band as its mask gives the same. But no $(n, n)$ matrix is ever made, so cost is linear in $n$. The price is the
# path: $2n/r$ layers.

# %%
n, r = 50, 8  # change the 8 to 16 and run it again: is it still exact?
full = SelfAttention(32, 4, rng=0, dtype="float64")
near = SelfAttention(32, 4, attention=LocalAttention(r), rng=0, dtype="float64")
x = np.random.default_rng(0).standard_normal((2, n, 32))
band = abs(np.arange(n)[:, None] - np.arange(n)) <= r // 2
difference = abs(full.forward(x, band) - near.forward(x)).max()
print(f"largest difference from full attention with a band: {difference:.0e}")
assert difference < 1e-12

for n in (100, 1000, 10000):
    counted = [kind.multiply_adds(Size(n, 64, r=32)) for kind in (ATTENTION, RESTRICTED)]
    print(f"n {n:6,}: full {counted[0]:15,} multiply-adds, restricted {counted[1]:12,}")
assert counted[0] > 50 * counted[1]

# %% [markdown]
# ## Three questions
#
# **1.** $d = 512$ and sentences of 30 words, as in translation. How large a part of the multiplications of
# self-attention is the $2 n^2 d$ that table 1 speaks of?
#
# <details><summary>Answer</summary>
#
# $2 n^2 d / (4 n d^2 + 2 n^2 d) = n / (2d + n) = 30 / 1054$, less than 3%. Nearly all of it is the projections. At
# such lengths "quadratic" is no argument against self-attention. It becomes one at $n = 2d$, where the parts are equal.
#
# </details>
#
# **2.** Six layers of convolution with $k = 3$ are stacked. How far apart may two words be so that one
# still hears of the other? And with six layers of restricted attention, $r = 8$?
#
# <details><summary>Answer</summary>
#
# Each layer moves a signal by one position, so after six layers each position knows of the six before it and the six
# behind it. With $r = 8$ a layer moves it by 4, and six layers by 24. The cell below finds both.
#
# </details>
#
# **3.** While it *writes*, a decoder makes one word after another. Does self-attention then still have $O(1)$
# sequential operations?
#
# <details><summary>Answer</summary>
#
# No. The next word is an input of the step that follows, so the steps wait for each other, as in a recurrence. Only in
# training, where all words are known, and in the encoder, are all positions computed at once. That is why decoding
# keeps keys and values of earlier words (notebook 25), and why it is slow.
#
# </details>

# %%
share = 30 / (2 * 512 + 30)
full, projections = ATTENTION.multiply_adds(Size(30, 512)), 4 * 30 * 512**2
print(f"question 1: {100 * share:.1f}%")
assert abs((full - projections) / full - share) < 1e-12 and share < 0.03
assert gradient_by_position(CONVOLUTION, Size(33, 4), 6).nonzero()[0].tolist() == [*range(26, 33)]
assert gradient_by_position(RESTRICTED, Size(33, 4, r=8), 6).nonzero()[0].tolist() == [*range(8, 33)]

# %% [markdown]
# `npformer table1` measures all this up to $n = 4096$ and $d = 512$, in minutes.
#
# Next: [10b table 3](22b_table_3.ipynb). To write self-attention yourself: exercises masks to multi_head, after
# `npformer course start my-course`.
