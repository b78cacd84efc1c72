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
# # 07 Encoder and decoder
#
# **The idea:** figure 1 is an encoder stack and a decoder stack, joined by cross-attention alone. Masks decide which
# positions a position may see, words meet in attention and nowhere else, and the gradient returns the way the values
# came.
#
# Paper: figure 1 and sections 3.1, 3.2.3 and 3.3. About 30 minutes to read and run, 50 with every change and question.
# What you need before: [notebook 12, the backward of each layer](12_the_backward_of_each_layer.ipynb).

# %%
# %matplotlib inline
import npformer as npf
from npformer.tasks import Objective, TranslationBatch
from npformer.text import Vocabulary

# %% [markdown]
# ## A model to look into
#
# A small model for two sentences, drawn as figure 1: the encoder at the left, the decoder at the right.

# %%
sources = ["the dog sleeps", "the cat sees the big dog"]
targets = ["der Hund schläft", "die Katze sieht den großen Hund"]
vocabulary = Vocabulary.build(sources + targets)
config = npf.TransformerConfig.tiny(
    src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), dropout=0.0, dtype="float64"
)
model = npf.Transformer(config, rng=0)
npf.visualization.figure_1(model)

# %% [markdown]
# Two sentences of different length make a `TranslationBatch`, so the shorter one is filled up with `<pad>`. The
# target is shifted right: the decoder reads `<bos>` and the words so far, and at each position says the next word.

# %%
batch = TranslationBatch.of(*([vocabulary.encode(text) for text in side] for side in (sources, targets)))
src, tgt_in, tgt_out = batch.src, batch.tgt_in, batch.tgt_out  # (B, S), (B, T), (B, T)
for name, ids in (("src", src), ("tgt_in", tgt_in), ("tgt_out", tgt_out)):
    print(f"{name:8} {ids.shape}  {' '.join(vocabulary.tokens[i] for i in ids[0])}")

# %% [markdown]
# Run one forward and one backward of the model with its loss, while `npf.trace` records them. The table has the boxes
# of figure 1 in the order in which they run: first the encoder, then the decoder. Its last column is the norm of the
# gradient that arrives at each box. (In training, `objective.forward(batch)` does the first of these steps, and
# `objective.backward()` the other two.)

# %%
objective = Objective(model)
with npf.trace(model, depth=2) as t:  # change the 2 to 1 or 4 and run it again
    loss = objective.loss.forward(model.forward(src, tgt_in), tgt_out)
    dlogits = objective.loss.backward()  # (B, T, V)
    model.backward(dlogits)
print(f"loss {loss:.2f}")
t

# %% [markdown]
# ## Masks: who may look where
#
# A mask is a matrix of booleans, True where a query may attend to a key. Two rules make all masks of the paper:
#
# - *padding*: nobody looks at `<pad>`; of the source this hides columns of the *memory*, the encoder's output, from the
#   decoder as well (`memory_mask` in the code);
# - *causal*: position $t$ of the target looks at $0, \dots, t$ and not at the future. The decoder's self-attention
#   makes this mask itself; only that of the padding is handed to it.
#
# Where the mask is False the score becomes $-\infty$ before the softmax, and so the weight becomes exactly 0. (The text
# counts layers from 1. Names in code count from 0, so `encoder.layers.0` is encoder layer 1.)

# %% tags=["hide-input"]
from helpers.pictures import plot_masks
from npformer.visualization.plots import new_figure

figure, axes = new_figure(1, 3, width=10, height=4.2)
plot_masks(axes, [vocabulary.tokens[i] for i in tgt_in[0]])
figure

# %%
import numpy as np

from npformer.layers import causal_mask, padding_mask
from npformer.text import EOS, PAD

tgt_mask = padding_mask(tgt_in, PAD) & causal_mask(tgt_in.shape[1])  # (B, T, T)
memory_mask = padding_mask(src, PAD)  # (B, 1, S)
masks = {
    "encoder.layers.0.self_attention": memory_mask,
    "decoder.layers.0.self_attention": tgt_mask,
    "decoder.layers.0.cross_attention": memory_mask,  # change this to tgt_mask and run it again: the check fails
}
for name, mask in masks.items():
    weights = t[f"{name}.sublayer.attention.softmax"].output  # (B, H, T, S)
    largest = weights[np.broadcast_to(~mask[:, None], weights.shape)].max()
    print(f"{name:33} weights {weights.shape}  mask {mask.shape!s:10} where False: {largest}")
    assert largest == 0 and np.allclose(weights.sum(-1), 1)

# %% [markdown]
# ## A check of the causal mask
#
# Training shows the decoder the whole target at once, the word to be predicted included. If the mask leaked, the
# model would copy instead of learning, and the loss would be very low. Test it: change the token at position
# $j$, and see which logits change. None before $j$ may, not even in the last digit.


# %%
from npformer.visualization.plots import plot_heat_map

CAUSAL = True  # change this to False and run the cells of this section again: a check fails; change it back
model.decoder.layers[0].self_attention.sublayer.attention.causal = CAUSAL


def changed(j):
    """Return for each position of sentence 1 how far its logits move when token j is another one (T,)."""
    other = tgt_in.copy()
    other[1, j] = EOS
    with model.evaluating():
        return abs(model.forward(src, other) - model.forward(src, tgt_in))[1].max(-1)


effect = np.array([changed(j) for j in range(tgt_in.shape[1])])  # (T, T)

# %% tags=["hide-input"]
names = [vocabulary.tokens[i] for i in tgt_in[1]]
figure, ax = new_figure(width=6.2, height=4.2)
shown = np.where(effect == 0, np.nan, effect)  # NaN is drawn in gray
plot_heat_map(ax, shown, row_names=names, column_names=names)
figure.axes[-1].set_ylabel("largest change of a logit")  # of the color bar
ax.set_title("gray: not changed at all", fontsize="medium")
ax.set(ylabel="token that is changed", xlabel="logits at the position of")
figure

# %%
before = np.tril(np.ones_like(effect, dtype=bool), -1)  # logits before the changed token
print(f"before the change {effect[before].max()},  at and after it {effect[~before].min():.3f} or more")
assert (effect[before] == 0).all() and (effect[~before] > 1e-3).all()

# Padding is checked in the same way: more <pad> change nothing beyond the last digits.
N_PAD = 2  # change this to 50 and run it again
with model.evaluating():
    longer = np.pad(src, ((0, 0), (0, N_PAD)), constant_values=PAD)
    difference = abs(model.forward(longer, tgt_in) - model.forward(src, tgt_in)).max()
print(f"{N_PAD} more <pad> in the source change the logits by {difference:.0e}")
assert difference < 1e-12

# %% [markdown]
# ## Where words meet
#
# The box "feed forward" of figure 1 is two Linears with a ReLU between them (section 3.3, equation 2):
#
# $$\mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2$$
#
# $x$ is $(T, d_{model})$, $W_1$ is $(d_{model}, d_{ff})$ and $W_2$ is $(d_{ff}, d_{model})$, in the paper with 512 and
# 2048: each position gets four times as many numbers, loses the negative ones, and comes back to its own width. Here
# the formula next to npformer's layer:

# %%
from npformer.layers import FeedForward, SelfAttention

rng = np.random.default_rng(0)
x = rng.normal(size=(1, 5, 8))  # (B, T, D)
ffn = FeedForward(8, 32, rng=rng, dtype="float64")
w_1, b_1, w_2, b_2 = (p.data for p in ffn.parameters())
hidden = np.maximum(0, x @ w_1 + b_1)  # (B, T, d_ff)
y = hidden @ w_2 + b_2  # (B, T, D)
print(f"{w_1.shape} {b_1.shape} {w_2.shape} {b_2.shape}, equal: {np.allclose(y, ffn.forward(x))}")
print(f"of {hidden.size} numbers in the middle, {(hidden == 0).sum()} are cut to 0")
assert np.allclose(y, ffn.forward(x), rtol=0, atol=1e-12)

# %% [markdown]
# Each row of $x$ meets the same two matrices, and no other row. So changing one position changes the result at this
# position only. In self-attention it changes every result:

# %%
moved = x.copy()
moved[0, 3] += 1.0  # change the 3 to 0 and run it again
for layer in (ffn, SelfAttention(8, 2, rng=rng, dtype="float64")):
    change = abs(layer.forward(moved) - layer.forward(x))[0].max(-1)  # (T,)
    print(f"{layer.display_name:25} change at each position", change.round(3))

# %% tags=["hide-input"]
assert (change > 0).all()  # of self-attention, the last of the two

# %% [markdown]
# So words meet in the attention sub-layers and nowhere else.
#
# ## Norm after the sum, or before the sub-layer
#
# A box "Add & Norm" follows every sub-layer. The paper normalizes *after* the sum (`PostNorm` in npformer). Much
# later code, the authors' own included, normalizes *before* the sub-layer and leaves the sum as it is (`PreNorm`):
#
# $$\text{post-norm:}\quad y = \mathrm{LayerNorm}\big(x + f(x)\big) \qquad\qquad
# \text{pre-norm:}\quad y = x + f\big(\mathrm{LayerNorm}(x)\big)$$
#
# In backward the residual is a plain sum, $dx = d + f'^\top d$: the first term passes every sub-layer unchanged. With
# pre-norm it does so from the last norm down to the embeddings. With post-norm a LayerNorm changes it after every
# sub-layer. What does this do to a model that has not learned anything yet? Measure it in a decoder of 12 layers: the
# norm of the gradient of all parameters of a layer, for five random starts.

# %%
N_LAYERS = 12  # change this to 3 and run the cells of this section again: a check fails; change it back


def gradient_norms(norm, seed, n_layers=N_LAYERS):
    """Return the gradient norm of each decoder layer of a fresh model, lowest first (n_layers,)."""
    rng = np.random.default_rng(seed)
    sizes = {"n_encoder_layers": 1, "n_decoder_layers": n_layers, "norm": norm, "dropout": 0.0}
    config = npf.TransformerConfig.tiny(src_vocab_size=50, tgt_vocab_size=50, **sizes)
    fresh = npf.Transformer(config, rng=rng)
    objective = Objective(fresh)
    objective.forward(TranslationBatch(*rng.integers(4, 50, (3, 16, 10))))  # src, tgt_in, tgt_out, (B, T) each
    objective.backward()
    squares = [sum((p.grad**2).sum() for p in layer.parameters()) for layer in fresh.decoder.layers]
    return np.sqrt(squares)


norms = {norm: np.array([gradient_norms(norm, seed) for seed in range(5)]) for norm in ("post", "pre")}

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3.4)
layers = np.arange(1, N_LAYERS + 1)
for (norm, runs), look in zip(norms.items(), ("o-", "s--"), strict=True):
    ax.plot(layers, runs.mean(0), look, label=f"{norm}-norm, mean of five starts")
    ax.fill_between(layers, runs.min(0), runs.max(0), alpha=0.2)
ax.set(xlabel="decoder layer (the last is next to the loss)", ylabel="norm of the gradient", xticks=layers)
ax.set_ylim(bottom=0)
ax.grid(alpha=0.3)
ax.legend(loc="upper left")
figure

# %%
ratios = {norm: runs[:, -1] / runs[:, 0] for norm, runs in norms.items()}  # (5,) each
for norm, ratio in ratios.items():
    print(f"{norm:4}  layer {N_LAYERS} against layer 1: {ratio.mean():.1f}   in each start {ratio.round(1)}")
assert (ratios["post"] > 2).all() and (ratios["pre"] > 0.4).all() and (ratios["pre"] < 1).all()

# %% [markdown]
# At the start a post-norm decoder gives its upper layers several times the gradient of its lower ones. With pre-norm it
# is the other way round and milder. Xiong et al. (2020) start from this to explain why post-norm needs small learning
# rates at first. But Adam, which the paper trains with, divides the size of a gradient away, so this alone cannot be
# the reason. [Notebook 15](15_adam_and_warm_up.ipynb) measures how far one and the same step of Adam moves the logits
# of each kind. Pre-norm needs one more LayerNorm at the top of each stack, `encoder.norm` and `decoder.norm` in the
# code, because the sum was never normalized.
#
# ## One memory for all decoder layers
#
# In cross-attention the queries come from the decoder, and the keys and values from the memory, the encoder's output.
# Many drawings join encoder layer 1 to decoder layer 1, 2 to 2, and so on. The trace shows that this is wrong:

# %%
memory = t["encoder"].output  # (B, S, D)
for i in range(config.n_decoder_layers):
    taken = t[f"decoder.layers.{i}"].inputs.memory
    print(f"decoder layer {i + 1} reads the encoder's last output: {np.array_equal(taken, memory)}")
    assert np.array_equal(taken, memory)
assert np.array_equal(t["encoder.layers.1"].output, memory)  # the upper of two
assert not np.array_equal(t["encoder.layers.0"].output, memory)

# %% [markdown]
# Every decoder layer reads the *same* memory, the output of the top encoder layer. What is used $N$ times gets
# the sum of $N$ gradients:
#
# $$\frac{\partial L}{\partial\,\mathrm{memory}} = \sum_{l=1}^{N} \frac{\partial L}{\partial\,\mathrm{memory}_l}$$
#
# Inside one layer the memory is used twice, as key and as value, so each term is itself a sum of two.

# %%
shares = [t[f"decoder.layers.{i}"].dinputs.dmemory for i in range(2)]  # (B, S, D) each
arrives = t["encoder"].dy  # what the encoder's backward is given
assert np.allclose(sum(shares), arrives, rtol=0, atol=1e-15)

# By hand: move the memory a little in a random direction, and look at the loss.
direction, h = np.random.default_rng(1).normal(size=memory.shape), 1e-5


def loss_at(memory):
    """Return the loss when the decoder reads this memory."""
    with objective.evaluating():
        return objective.loss.forward(model.decode(tgt_in, memory, memory_mask), tgt_out)


numeric = (loss_at(memory + h * direction) - loss_at(memory - h * direction)) / (2 * h)
analytic = float((arrives * direction).sum())
upper = float((shares[1] * direction).sum())
print(f"numeric            {numeric:.9f}")
print(f"sum over layers    {analytic:.9f}")
print(f"upper layer alone  {upper:.9f}")
assert np.isclose(numeric, analytic, rtol=1e-6) and not np.isclose(numeric, upper, rtol=1e-2)

# %% [markdown]
# How much gradient arrives at each word of the first source sentence, by decoder layer and in all? The third bar is
# lower than the first two stacked, because the two gradients point in different directions. No query looked at the
# padding, so its gradient is 0.

# %%
SENTENCE = 0  # change this to 1 and run it again
words = [vocabulary.tokens[i] for i in src[SENTENCE]]
figure, ax = new_figure(width=7.5, height=3.2)
bars = {"from layer 1": shares[0], "from layer 2": shares[1], "sum": arrives}
for number, (label, gradient) in enumerate(bars.items()):
    place = np.arange(len(words)) + 0.27 * (number - 1)
    ax.bar(place, np.linalg.norm(gradient[SENTENCE], axis=-1), 0.25, label=label)
ax.set_xticks(range(len(words)), words)
ax.set_ylabel("norm of dmemory")
ax.legend()
figure

# %%
at_padding = arrives[src == PAD]  # (number of <pad>, D)
print(f"{len(at_padding)} x <pad>, largest gradient there: {abs(at_padding).max()}")
assert len(at_padding) and (at_padding == 0).all() and (arrives[src != PAD] != 0).any(-1).all()

# %% [markdown]
# Where is this sum in the code? The step debugger shows the line, here for a model with eight features:
# `dmemory = dmemory + dmemory_of_layer` runs once per decoder layer ([notebook 16b](16b_line_by_line.ipynb) is about
# this page).

# %%
from helpers.pictures import StepFrame

small = {"d_model": 8, "d_ff": 8, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 2, "dropout": 0.0}
config = npf.TransformerConfig(src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), **small)
objective = Objective(npf.Transformer(config, rng=0))
recording = npf.step_through(objective, batch, only="decoder", vocabularies=[vocabulary, vocabulary])
StepFrame(recording, "decoder dmemory_of_layer")

# %% [markdown]
# ## Questions
#
# **1.** The decoder's self-attention has a causal mask. Why has cross-attention none?
#
# <details><summary>Answer</summary>
#
# The whole source is known before the first word is written, so it has no future to hide. Only its padding is masked.
# The encoder is not causal either: "bank" may need the word that follows it.
#
# </details>
#
# **2.** In the picture of the causal mask's effect the diagonal is filled: changing token $j$ changes the logits
# at $j$. Is that not a leak?
#
# <details><summary>Answer</summary>
#
# No, because the target is shifted right. At position $j$ the decoder *reads* token $j$ of `tgt_in` and predicts
# token $j$ of `tgt_out`, which is token $j + 1$ of `tgt_in`. A leak would be a change at $j - 1$.
#
# </details>
#
# **3.** Someone writes `dmemory = dmemory_from_layer` in the decoder's loop instead of adding. With which number
# of decoder layers does a gradient check not notice?
#
# <details><summary>Answer</summary>
#
# With one: then there is a single term, and overwriting and adding are the same. Check with two layers or more.
# It is the lesson of notebook 13 again: a check finds only what its numbers can show.
#
# </details>
#
# ---
#
# Next: [notebook 08](08_build_it.ipynb), where the model is built, and one method of it is left to you.
#
# Write it yourself: exercises feed_forward, cross_attention_backward. `npformer course start my-course`
# begins the course.
