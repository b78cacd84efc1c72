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
# # 28 An LSTM with attention
#
# *Part IV, Understand it. Before: [27](27_embeddings.ipynb). Next: [29](29_why_self_attention.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Before 2017 a translator read a sentence word by word, and carried all that it knew in one state. In 2014 attention
# was invented to help it. Three years later the helper was all that was left. What had it taken over, and was anything
# lost?
#
# **After this you can** write one step of an LSTM, forward and backward; say how far back a gradient reaches in it, and
# what a short path changes; find out what a part does by putting something simpler in its place.
#
# Paper: sections 1 and 4, what was there before. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import copying
from helpers.pictures import show_arrays, show_attention
from helpers.schematics import lstm as schematic
from npformer_course import Bet, exercise

schematic()

# %% [markdown]
# ## One step of an LSTM
#
# *Ich schalte jeden Tag das neue Radio aus.* At *schalte* a verb is begun, and *aus* ends it six words later. Somebody
# who writes this word by word has to remember all the time that something is missing.
#
# A **recurrent** network has a state for this. Each step gets the features $x$ of one word and the state that the step
# before has left. In an LSTM (Hochreiter and Schmidhuber 1997) the state is two vectors: a *cell* $c$, which keeps, and
# an *output* $h$, which is shown. Three *gates*, numbers between 0 and 1 for each feature, are valves on the cell's
# way: the input gate $i$ lets in, the forget gate $f$ keeps, the output gate $o$ shows. What is let in is an offer $g$.
#
# $$i = \sigma(x W_i + h_\mathrm{old} U_i + b_i) \qquad f = \sigma(x W_f + h_\mathrm{old} U_f + b_f)$$
# $$g = \tanh(x W_g + h_\mathrm{old} U_g + b_g) \qquad o = \sigma(x W_o + h_\mathrm{old} U_o + b_o)$$
# $$c = f \odot c_\mathrm{old} + i \odot g \qquad h = o \odot \tanh(c)$$
#
# One matrix `w` (D, 4H) holds $W_i, W_f, W_g, W_o$ side by side, in this order, so that one product makes all four; `u`
# (H, 4H) and `b` (4H,) likewise. (Here $h$ and $H$ are the state and its size, not heads.)


# %%
def sigmoid(z):
    return 1 / (1 + np.exp(-z))


# %% [markdown]
# **Write the step.** `np.split(z, 4, axis=-1)` takes four apart, and `np.concatenate` puts them together.


# %%
def lstm_step(x, h_old, c_old, w, u, b):
    """Return h (B, H), c (B, H) and gates (B, 4H): i, f, g, o side by side.

    x (B, D): a word of each sentence. h_old, c_old (B, H): what the step before has left. w (D, 4H),
    u (H, 4H), b (4H,): the weights of i, f, g, o side by side. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
lstm_step = exercise("lstm_step").check(lstm_step)

# %% [markdown]
# Now remember the open verb, in a cell of one feature and with weights set by hand. Each word has two features: a
# value, and a mark that says "this matters". Both halves of the verb are marked. *schalte* has the value 0.9, *aus* has
# 0, and the others have anything. The gates ask only for the mark; $U$ is 0.

# %%
words = "Ich schalte jeden Tag das neue Radio aus".split()
x = np.array([[0.3, 0], [0.9, 1], [-0.4, 0], [0.5, 0], [-0.6, 0], [0.2, 0], [0.7, 0], [0, 1]])  # (8, 2)
#              i     f    g   o
w = np.array([[0.0, 0.0, 1.0, 0.0], [12.0, -12.0, 0.0, 0.0]])  # from the value, and from the mark
b = np.array([-6.0, 6.0, 0.0, 6.0])  # change the first 6.0, the bias of the forget gate, to 1.0
h = np.zeros((1, 1))
c = np.zeros((1, 1))
seen = []
for word in x:
    h, c, gates = lstm_step(word[None], h, c, w, np.zeros((1, 4)), b)
    seen.append([*word, *gates[0], *c[0], *h[0]])

# %% tags=["hide-input"]
rows = ["value", "mark", "i, let in", "f, keep", "g, offer", "o, show", "cell c", "output h"]
show_arrays(sentence=np.array(seen).T, rows=rows, columns=words, signed=["sentence"])

# %% [markdown]
# At a mark the cell takes the value and forgets what it had. Between the marks $i$ is closed and $f$ open, and the 0.71
# of *schalte* survives five other words. In a trained LSTM nobody marks anything: the gates have learned to see in $x$
# and $h_\mathrm{old}$ what is worth keeping.
#
# ## How far back a gradient reaches
#
# Suppose the model forgets its *aus*. The gradient is made there, and it has to reach *schalte*, where more should have
# been let in. So it has to go back step by step. In each, two gradients arrive: $dh$, at the output, and $dc$, at the
# cell. The cell was used twice, by the next step and by the output, so its gradient is the sum of what comes back from
# both.
#
# **Write it**, for one step. Begin with this sum. From it follow the gradients of $i$, $f$ and $g$ and of the old cell,
# because each is one factor of a product. To get to the sums $z$, multiply by the slopes: $\sigma' = \sigma(1 -
# \sigma)$ and $\tanh' = 1 - \tanh^2$. What remains is linear (notebook 10): $z = x w + h_\mathrm{old} u + b$.


# %%
def lstm_backward(dh, dc, gates, c_old, c, u):
    """Return dz (B, 4H), the gradient at the sums of i, f, g, o, dh_old (B, H) and dc_old (B, H).

    dh, dc (B, H): the gradients at the new output and at the new cell. gates (B, 4H): i, f, g, o as
    forward returned them. c_old, c (B, H): the cell before the step and after it. u (H, 4H). None of
    the inputs is changed.
    """
    raise NotImplementedError


# %%
lstm_backward = exercise("lstm_backward").check(lstm_backward)

# %% [markdown]
# From cell to cell a gradient is multiplied by $f$, and by nothing else. That is the whole idea of 1997: where $f$ is
# near 1 it goes far. How near? **Write it:** the $f$ of which a tenth is left after 40 steps.

# %% tags=["hide-input"]
expected = copying.expected_lines()

# %%
f = ...
f = expected.check(f=f)

# %% [markdown]
# Before training gates scatter around $\sigma(b_f)$. npformer's LSTM begins with $b_f = 1$, which is 0.73: too little.
# With $b_f = 3$ it is 0.95. So run your two functions on 41 random words: give only the *last* output a gradient, and
# see what arrives at each word before it.

# %%
norms = {}
for b_f in (0, 1, 3):  # add 6 and run it again
    norms[f"b_f = {b_f}"] = copying.gradient_by_distance(lstm_step, lstm_backward, b_f)
norms["b_f = 1, with attention"] = copying.gradient_by_distance(lstm_step, lstm_backward, 1, attention=True)

# %% tags=["hide-input"]
copying.plot_gradients(norms)

# %% [markdown]
# With $b_f = 1$ a word 40 steps back gets a four-thousandth of what the last one gets. That is more than the cells let
# pass, which is $0.73^{40}$ or a three-hundred-thousandth: a second way goes back through the outputs and $U$. Even so,
# training hardly sees that the word mattered. Open gates let its gradient pass, but gates that are open for everything
# keep everything, and the cell becomes a sum of all words. (With $b_f = 6$ both ways together multiply by 1.08 per step:
# the gradient explodes.)
#
# The last line is another network. Its last output also looks back at all others by attention (notebook 02). From some
# 15 steps on most of the gradient comes by this path: *one* weighted sum, however far the word is.
#
# ## One vector for a whole sentence
#
# In 2014 one LSTM read a sentence and a second one wrote its translation. What the first knew at the end, 8,000 numbers
# for a sentence of any length, was all that the second began with (Sutskever et al.). Cho et al. showed the price: the
# longer the sentence, the worse the translation. Bahdanau et al. (2015) let each step of the decoder look back at *all*
# states of the encoder. That was attention, an addition to a recurrent network ([03b](03b_additive_attention.ipynb) has
# its scores).
#
# A small task shows both: read $n$ letters, all different, then a mark, then write the same letters. One LSTM does
# both, so without attention every letter has to pass through $n$ states. With attention, each step that writes also
# looks at the states of the steps that read. Both models run *your* step, and train for 200 updates on 2 to 16 letters.
# (Of the rates 0.001, 0.002, ..., 0.016 we took 0.004, the lowest with which the model with attention copies
# everything. Without attention no rate gets more than 22 % of 16 letters right.)

# %%
copied = {}


def train(name, layer, attention=True):
    copier = copying.train_copier(layer, attention)
    copied[name] = copying.shares_right(copier)  # of 2, 4, ..., 24 letters
    return copier


train("LSTM, one vector", copying.OwnLSTM(lstm_step, lstm_backward), attention=False)
copier = train("LSTM with attention", copying.OwnLSTM(lstm_step, lstm_backward))

# %% tags=["hide-input"]
copying.plot_copied(copied)

# %% [markdown]
# Of 16 letters one vector has 17 % right. It is not too *small*: 16 different letters are 67 bits, and the state has
# 128 numbers. But to use it so is hard to learn. After 1,600 updates, eight times as many, half of 16 letters are
# right. With attention 200 were enough for 99 %, and 24 letters, more than it has ever seen, are no harder. Here is
# where it looks while it writes 16:

# %% tags=["hide-input"]
ids, texts = copying.draw_texts(1, 16, np.random.default_rng(2))
letters = [chr(ord("a") + i) for i in texts[0]]
looked = copying.attention_of(copier, ids)
show_attention(looked, letters, letters, title="rows: the letter that is written; columns: those read")

# %% [markdown]
# Each step finds its letter by looking, one place further each time. No step has to remember the text.
#
# ## What is the LSTM still good for?
#
# If each step can look at each letter, take the LSTM out. But then attention is lost: a letter's vector does not say
# where it is (notebook 05), and a step that writes does not know how far it has come. The LSTM must have told it
# something. What? Tell it one thing instead, in two ways:
#
# - `Positions` adds to each letter the sinusoids of its **place**, counted from 0 again at the mark;
# - `LeftNeighbor` adds to each letter **the letter before it**, with its features moved by half a vector, so that the two
#   can be told apart.
#
# No gate, no state, no waiting: all places are computed at once. With each, attention is trained as above.

# %%
bet = Bet("With which of them are (nearly) all of 24 letters right?", ["place", "neighbor", "both"])
bet.place(...)

# %%
train("place and attention", copying.Positions())
train("left neighbor and attention", copying.LeftNeighbor())
of_24 = {"place": copied["place and attention"][-1], "neighbor": copied["left neighbor and attention"][-1]}
bet.settle("both" if min(of_24.values()) > 0.95 else max(of_24, key=of_24.get))

# %% tags=["hide-input"]
copying.plot_copied(copied)

# %% [markdown]
# With its **place** a letter is found as well as with an LSTM, up to 16 letters, in a fraction of the time. That is the
# step to the Transformer. But beyond 16 are places that it has never seen: this was lost. And much hangs on how places
# are counted. If they go on counting at the mark, 20 % of 16 letters are right, and to write in reverse order 21 %. The
# letter to copy is then $n$ places back, or at place $n - 1 - t$, and $n$ is another number in each text. One layer of
# attention can look for a place, but not for one that depends on the length.
#
# With **the letter before** all lengths are right, those never seen too: after "k" look for the letter whose left
# neighbor is "k", and copy it. That is the same rule at every place. In reverse order it works as well: at "k" itself
# its left neighbor can be read.
#
# So it is *enough* to know which letter was just before. That takes no long memory and no gate. (Whether the LSTM did
# just this, the experiment does not say.) Two layers of attention learn the same circuit with nothing else: [notebook
# 32](32_induction_heads.ipynb). How positions can measure distances is [notebook 30](30_rotary_positions.ipynb).
#
# ## Three questions
#
# **1.** The first LSTM, of 1997, had no forget gate: $f = 1$. A gradient then goes back without any loss. Why was the
# gate added?
#
# <details><summary>Answer</summary>
#
# With $f = 1$ nothing is ever forgotten: in a long text the cell adds up all that was let in, and grows until
# $\tanh(c)$ is 1 or -1 whatever comes next. Gers et al. (2000) let the network decide when to empty it. The price is
# the factor $f$ in the gradient.
#
# </details>
#
# **2.** Could the LSTM without attention copy longer texts if it wrote them in reverse order?
#
# <details><summary>Answer</summary>
#
# A little longer. The last letters become easy, because they were read just before the mark, but the vector has to hold
# as much as before: of 16 letters 24 % are right instead of 17 %. Sutskever et al. reversed their sources, so that the
# first words of both sentences are near each other, and it helped.
#
# </details>
#
# **3.** Each step of the decoder can look at every state of the encoder. Which paths are still long?
#
# <details><summary>Answer</summary>
#
# Those inside the encoder: what word 0 means for word 29 still passes through 29 steps, and these wait for each other.
# Attention inside the encoder shortens them too. That is self-attention.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute a step of an LSTM, and its gradients: keep, let in, show, and a sum of two at the cell;
# - say why a gradient fades along cells, and what one weighted sum changes;
# - replace a part by what you believe it does, and see whether that was enough.
#
# Next: [notebook 29](29_why_self_attention.ipynb), why the paper has attention everywhere. Detours:
# [28b](28b_text_classification.ipynb) classifies texts with the encoder, where you write `pooling`;
# [28c](28c_four_encoders_compared.ipynb) puts an LSTM and convolutions in the encoder's place, and there you write
# `near_first`.
