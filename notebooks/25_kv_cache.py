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
# # 25 The KV cache
#
# **The idea.** When a decoder writes one more token, the keys and values of the earlier tokens do not change. Keep them in a
# cache, and each token is computed once.
#
# Paper: section 3.2.3, the causal mask, which makes this possible. Code: `npformer/decoding/kv_cache.py` and `cached_decoder.py`.
# About 30 minutes to read and run, 45 with every change and question. What you need before:
# [notebook 19](19_decoding.ipynb), and [notebook 04](04_many_heads.ipynb) for keys, values and heads.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import side_by_side

# %% [markdown]
# ## Which rows change when a token is added?
#
# To choose token 4, a plain decoder reads tokens 1 to 3. To choose token 5 it reads tokens 1 to 4, and three of them it has read
# before. Was that needed? Take four tokens of two features each, one head, and self-attention in two layers. To keep it small, both
# layers have the same weights. The keys of the *second* layer show it: they are made from what the first layer returned.

# %%
x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 1.0]])  # (T, D); change the last row and run it again
W_Q = np.array([[0.0, 1.0], [1.0, 0.0]])
W_K = np.array([[1.0, 0.0], [1.0, 1.0]])
W_V = np.array([[1.0, 0.0], [0.0, 2.0]])


def attention(x, mask):  # (T, D), (T, T)
    weights = np.exp((x @ W_Q) @ (x @ W_K).T / np.sqrt(2)) * mask
    return weights / weights.sum(-1, keepdims=True) @ (x @ W_V)


for name, mask in (("with the causal mask", np.tri(4)), ("without a mask", np.ones((4, 4)))):
    of_3, of_4 = (attention(x[:t], mask[:t, :t]) @ W_K for t in (3, 4))
    print(f"keys of the second layer, {name}")
    print(side_by_side(2, three_tokens=of_3, four_tokens=of_4))

# %% tags=["hide-input"]
causal = [attention(x[:t], np.tri(t)) for t in (3, 4)]
everywhere = [attention(x[:t], np.ones((t, t))) for t in (3, 4)]
assert np.allclose(causal[0], causal[1][:3]) and not np.isclose(everywhere[0], everywhere[1][:3]).all(1).any()

# %% [markdown]
# With the mask the first three rows stay as they were. Token 1 cannot look at token 4, so the first layer returns the same for it,
# and so does every layer above. Without the mask all rows are new, because each token has looked at the new one. So a decoder can keep
# what it has computed, and an encoder, which has no causal mask, cannot.
#
# ## Keys and values, appended
#
# What must be kept? To choose token 5 one needs the row of token 4 alone, and that row asks for:
#
# $$y_4 = \mathrm{softmax}\!\left(\frac{q_4 K^\top}{\sqrt{d_k}}\right) V$$
#
# One query, and the keys and values of *all* tokens so far. Three of these rows are there already. Read one token at a time and append:

# %%
keys, values, rows = np.zeros((0, 2)), np.zeros((0, 2)), []
for t in range(len(x)):
    newest = x[t : t + 1]  # (1, D)
    keys = np.concatenate([keys, newest @ W_K])  # change this to [newest @ W_K, keys]: does y change?
    values = np.concatenate([values, newest @ W_V])  # and then this too
    weights = np.exp(newest @ W_Q @ keys.T / np.sqrt(2))  # (1, t + 1)
    weights = weights / weights.sum()
    rows.append(weights @ values)
    print(side_by_side(2, newest=newest, keys=keys, values=values, weights=weights, y=rows[-1]))

# %% tags=["hide-input"]
from matplotlib.patches import Rectangle

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

if np.array_equal(keys, x @ W_K):
    assert np.allclose(np.concatenate(rows), attention(x, np.tri(4)))
figure, axes = new_figure(2, 1, width=9, height=3.9)
for ax, cached, color in zip(axes, (False, True), (ORANGE, main_color()), strict=True):
    left = 0.0
    for t in range(1, 7):
        for i, j in np.ndindex(t, t):
            new = i == t - 1 or not cached
            filling = color if new else "none"
            ax.add_patch(Rectangle((left + j, 6 - i), 1, 1, facecolor=filling, edgecolor=GREY, linewidth=0.7))
        ax.annotate(f"{t if cached else t * t}", (left + t / 2, 7.3), ha="center")
        left += t + 1.5
    ax.set(xlim=(-0.2, left - 1.2), ylim=(0.8, 8.3), aspect="equal")
    ax.set_axis_off()
    ax.set_title("with a cache" if cached else "without a cache", loc="left")
figure

# %% [markdown]
# Each step makes one row of keys and one of values, and the rows above it are those of the step before. No mask is needed: the
# future is not in the cache yet.
#
# The squares of the figure are the scores $q_i k_j$ of steps 1 to 6: a row is a query and a column is a key. Colored ones are
# computed in that step, and the numbers count them, those that the mask hides too.
#
# ## Count: $n$, $n^2$, $n^3$
#
# How many rows of keys, and how many scores, does it take to write $n$ tokens? Do it both ways and count what is made:


# %%
def count(n, cached):
    """Return how many rows of keys and how many scores are made while n tokens are read, one more in each step."""
    tokens, keys = np.ones((n, 2)), np.zeros((0, 2))
    n_keys = n_scores = 0
    for t in range(1, n + 1):
        read = tokens[t - 1 : t] if cached else tokens[:t]
        made = read @ W_K
        keys = np.concatenate([keys, made]) if cached else made
        n_keys += len(made)
        n_scores += (read @ W_Q @ keys.T).size
    return n_keys, n_scores


LENGTHS = (6, 50, 100, 200)  # change these and run it again
counts = np.array([[*count(n, cached=True), *count(n, cached=False)] for n in LENGTHS])
print("            with a cache           without a cache")
print("     n     keys     scores        keys       scores")
for n, row in zip(LENGTHS, counts, strict=True):
    print(f"{n:6,d} {row[0]:8,d} {row[1]:10,d} {row[2]:11,d} {row[3]:12,d}")
print("last / one before: ", (counts[-1] / counts[-2:][0]).round(2))

# %% tags=["hide-input"]
n = np.array(LENGTHS)
formulas = n, n * (n + 1) // 2, n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6
assert np.array_equal(counts.T, formulas)
figure, ax = new_figure(width=7, height=3.4)
lengths = np.arange(1, LENGTHS[-1] + 1)
of_scores = r"$n(n+1)(2n+1)/6 \approx n^3/3$: scores without", lengths * (lengths + 1) * (2 * lengths + 1) / 6, ORANGE
of_both = r"$n(n+1)/2 \approx n^2/2$: scores with, keys without", lengths * (lengths + 1) / 2, GREY
for label, line, color in (of_scores, of_both, ("$n$: keys with", lengths, main_color())):
    ax.plot(lengths, line, color=color, linewidth=2, label=label)
for column, color in zip(counts.T, (main_color(), GREY, GREY, ORANGE), strict=True):
    ax.plot(LENGTHS, column, "o", color=color)
ax.set(xscale="log", yscale="log", xlabel="n", ylabel="made in all", title="dots: counted, lines: formula")
ax.grid(alpha=0.3)
ax.legend()
figure

# %% [markdown]
# Twice as many tokens need 2, 4, 4 and 8 times as much. Put the steps of the figure above on top of each other to see why:
#
# - one row of keys per step is a line, $n$;
# - rows of 1, 2, ... $n$ are a triangle, half of a square: $1 + 2 + \dots + n = n(n+1)/2$;
# - squares of $1, 4, \dots, n^2$ are a pyramid, a third of a cube: $1 + 4 + \dots + n^2 = n(n+1)(2n+1)/6$.
#
# On logarithmic axes $n^p$ is a straight line of slope $p$. The cache takes one from each slope.
#
# ## In npformer: the same logits, one position at a time
#
# `CachedDecoder` has a cache of this kind for each layer, with one more axis for sentences and one for heads. It is given
# one token at a time. The keys and values of cross-attention are those of the memory, which never grows: they are made once, before
# the first step. An untrained model will do:

# %%
from npformer.decoding import CachedDecoder

S, T = 12, 60  # change the 12 to 40 and run all again from here
tiny = npf.TransformerConfig.tiny(src_vocab_size=800, tgt_vocab_size=800)
model = npf.Transformer(tiny, rng=0).eval()
rng = np.random.default_rng(1)
src, tgt = rng.integers(4, 800, (1, S)), rng.integers(4, 800, (1, T))

whole = model.forward(src, tgt)  # (1, T, V)
decoder, logits = CachedDecoder(model, src), []
for t in range(T):
    logits.append(decoder.step(tgt[:, t : t + 1]))  # (1, 1, V)
    if t in (0, 1, T - 1):
        layer = decoder.layers[0]
        print(
            f"step {t + 1:2}: keys {layer.token_cache.keys.shape}, keys of the memory {layer.memory_cache.keys.shape}"
        )
print(f"largest difference of a logit {abs(whole - np.concatenate(logits, axis=1)).max():.0e}")
assert abs(whole - np.concatenate(logits, axis=1)).max() < 1e-5 and whole.dtype == logits[0].dtype == np.float32

# %% [markdown]
# No layer is written a second time for this. Multi-head attention is put together from `project`, which makes keys and values,
# and `attend`, which lets queries look at them, and between the two the keys and values can wait in a cache. All else in a decoder
# layer looks at one position at a time, and the input embedding adds the positional encoding of position `start`. So the
# self-attention of a layer, all positions at once and then one by one, is:

# %%
from npformer.decoding.kv_cache import KeyValueCache
from npformer.layers import causal_mask

heads = model.decoder.layers[0].self_attention.sublayer
positions = rng.normal(size=(1, T, tiny.d_model)).astype("float32")
at_once = heads.forward(positions, causal_mask(T))

cache, one_by_one = KeyValueCache(), []
longest = T  # change this to 8 and run it again: queries then look at the last 8 positions alone
for t in range(T):
    newest = positions[:, t : t + 1]  # (1, 1, D)
    cache.append(*heads.project(newest, newest))
    one_by_one.append(heads.attend(newest, cache.keys[:, :, -longest:], cache.values[:, :, -longest:]))
agree = np.isclose(at_once, np.concatenate(one_by_one, 1), atol=1e-5).all(-1)  # (1, T)
print(f"cached keys {cache.keys.shape}; {agree.sum()} of {T} rows of y agree")
assert agree[0, :longest].all()

# %% [markdown]
# ## How much it saves, counted
#
# Now the whole layer. A product of $(a, b)$ and $(b, c)$ matrices takes $a\,b\,c$ multiplications. Per decoder layer, with $D$ =
# `d_model`, $F$ = `d_ff`, a source of $S$ tokens and $t$ target tokens so far, one new token costs:
#
# | | without a cache | with it |
# |---|---|---|
# | self-attention: four projections | $4tD^2$ | $4D^2$ |
# | self-attention: $QK^T$, and weights times $V$ | $2t^2D$ | $2tD$ |
# | cross-attention: $W^Q$, $W^O$ | $2tD^2$ | $2D^2$ |
# | cross-attention: $W^K$, $W^V$ of the memory | $2SD^2$ | 0 (once, at the start) |
# | cross-attention: $QK^T$, and weights times $V$ | $2tSD$ | $2SD$ |
# | feed-forward network | $2tDF$ | $2DF$ |
#
# The logits of the last position cost $DV$ either way. Every $t$ on the left has lost one power on the right.


# %%
from npformer.layers import Generator, Linear, ScaledDotProductAttention


def by_formula(config, t, S, cached):
    D, F = config.d_model, config.d_ff
    rows, memory = (1, 0) if cached else (t, 2 * S * D**2)
    layer = 4 * rows * D**2 + 2 * rows * t * D + 2 * rows * D**2 + memory + 2 * rows * S * D + 2 * rows * D * F
    return config.n_decoder_layers * layer + D * config.tgt_vocab_size


def by_shapes(trace):
    total = 0
    for record in trace.records:
        if isinstance(record.layer, Linear):
            total += record.inputs.x.size * record.layer.weight.data.shape[1]
        elif isinstance(record.layer, Generator):
            total += record.inputs.x.size * len(record.layer.table.data)
        elif isinstance(record.layer, ScaledDotProductAttention):
            query, key, value = record.inputs[:3]  # (B, H, T, d_k), (B, H, S, d_k), (B, H, S, d_v)
            total += query[..., 0].size * key.shape[2] * (key.shape[3] + value.shape[3])
    return total


# %% [markdown]
# The table is a claim on paper. `npf.trace` records what really passes through every layer, so the shapes can
# be counted.

# %%
memory, memory_mask = model.encode(src)


def read_all(tokens):  # (1, t)
    y = model.decoder.forward(tokens, memory, causal_mask(tokens.shape[1]), memory_mask)  # (1, t, D)
    return model.generator.forward(y[:, -1:])  # (1, 1, V)


decoder, counted = CachedDecoder(model, src), {}
for t in range(1, T + 1):
    with npf.trace(model) as without:
        read_all(tgt[:, :t])
    with npf.trace(model) as cached:
        decoder.step(tgt[:, t - 1 : t])
    counted[t] = by_shapes(without), by_shapes(cached)
    assert counted[t] == (by_formula(tiny, t, S, False), by_formula(tiny, t, S, True))

for t in (1, 10, T):  # change these and run it again
    before, after = counted[t]
    print(f"token {t:2d}: {before:10,d} multiplications without, {after:7,d} with, {before / after:5.1f} x")

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=9, height=3.8)
base = npf.TransformerConfig.base(src_vocab_size=37_000, tgt_vocab_size=37_000)
panels = (axes[0], tiny, T, S, "tiny"), (axes[1], base, 200, 50, "the paper's base")
for ax, config, longest, n_source, name in panels:
    steps = np.arange(1, longest + 1)
    for cached, color, label in ((False, ORANGE, "without a cache"), (True, main_color(), "with it")):
        ax.plot(steps, [by_formula(config, int(t), n_source, cached) for t in steps], color=color, label=label)
        if config is tiny:
            ax.plot(steps[4::9], [counted[t][cached] for t in steps[4::9]], "o", color=color)
    ax.set(yscale="log", xlabel="tokens so far", title=f"{name}, source of {n_source} tokens")
    ax.grid(alpha=0.3)
axes[0].set_ylabel("multiplications for one token")
axes[0].legend(title="lines: formula, dots: counted")
figure

# %%
at_200 = [by_formula(base, 200, 50, cached) for cached in (False, True)]
print(f"base, token 200: {at_200[0] / 1e6:,.0f} million without, {at_200[1] / 1e6:.0f} million with the cache")

# %% tags=["hide-input"]
rise = [by_formula(base, t, 50, True) for t in (1, 200)]
assert rise[1] - rise[0] == 6 * 2 * 199 * 512 and round(100 * (rise[1] / rise[0] - 1)) == 3
assert round(at_200[0] / at_200[1]) == 115

# %% [markdown]
# Some tutorials say that the cache makes the cost of a token constant. Not quite: every new token still looks at all
# earlier ones, $2tD$ per layer. On the right the blue line rises by 3%, too slowly to be seen.
#
# ## And by the clock?
#
# Guess: how many times faster does the tiny model write 60 tokens, and 200?

# %%
from time import perf_counter

text = rng.integers(4, 800, (1, 200))  # (1, T)


def seconds(n, cached):
    decoder, start = CachedDecoder(model, src), perf_counter()
    for t in range(1, n + 1):
        decoder.step(text[:, t - 1 : t]) if cached else read_all(text[:, :t])
    return perf_counter() - start


for n in (60, 200):  # change these and run it again
    before, after = (min(seconds(n, cached) for _ in range(3)) for cached in (False, True))
    fewer = [sum(by_formula(tiny, t, S, cached) for t in range(1, n + 1)) for cached in (False, True)]
    print(f"{n:3} tokens: {fewer[0] / fewer[1]:.0f} x fewer multiplications, {before / after:.0f} x as fast")

# %% [markdown]
# Far less than counted. (This was one core of an AMD EPYC: run it on yours.) A small model spends its time on Python
# and on starting small NumPy calls, and the cache saves none of them. In a large model every product has a single row
# with the cache: each weight is fetched from memory for one multiplication, and fetching takes longer. Token 200 of the base
# model took 131 ms without and 14 with the cache on that core: 9 times faster, not 115. So servers write many texts at once,
# and their rows share what is fetched: one step of 64 texts took 98 ms, not 64 times 14. A prompt is quick for the same
# reason: `CachedDecoder.read` takes all its tokens in one product.
#
# ## What it costs: memory
#
# The cache grows with every token, for every layer, every sentence and every hypothesis of a beam. When two of its $K$
# hypotheses continue the same one, and another is dropped, the rows of the cache must follow.

# %%
beams = KeyValueCache()  # three hypotheses, one head, two tokens each, one feature
beams.append(np.array([[11, 12], [21, 22], [31, 32]])[:, None, :, None], np.zeros((3, 1, 2, 1)))
before = beams.keys[:, 0, :, 0]
beams.select(np.array([1, 1, 0]))  # hypothesis 1 continues twice, 0 once, 2 is dropped; change this and run it again
print(side_by_side(before=before, after=beams.keys[:, 0, :, 0]))
per_token = 4 * 2 * base.d_model * base.n_decoder_layers  # bytes in float32: a key and a value in each layer
print(f"base: {per_token:,} bytes per token and hypothesis, as large as the weights at {260e6 / per_token:,.0f} tokens")

# %% [markdown]
# ## Three questions
#
# **1.** Why are keys and values kept, and queries not?
#
# <details><summary>Answer</summary>
#
# A query is used in one row alone, that of its own token, and in the step in which that token is read. Its row of scores is finished
# then. A key is used by the queries of all later tokens, and so is a value.
#
# </details>
#
# **2.** Ten tokens are written, and then you replace token 4 by another word. Which rows of the cache can you keep, in the first
# layer and in the sixth? Try it with `x` and `attention` of the first section.
#
# <details><summary>Answer</summary>
#
# Rows 1 to 3, in every layer. In the first layer only row 4 changes, because its keys are made from the embedded tokens alone, before
# anything has looked at anything. From the second layer on rows 4 to 10 change: tokens 5 to 10 have looked at token 4. A chat
# program that sends the same beginning again can reuse its cache up to the first token that differs.
#
# </details>
#
# **3.** How much memory does the cache of the base model take for one sentence, at 200 target tokens and 50 source
# tokens, in float32? And for 64 sentences with a beam of 4? Hypotheses of a sentence share the keys and values of its memory.
#
# <details><summary>Answer</summary>
#
# Each of the 6 layers keeps a key and a value of 512 numbers for each of the 250 tokens: $6 \cdot 2 \cdot 250 \cdot
# 512 = 1{,}536{,}000$ numbers, 6.1 MB. For 64 sentences it is $64 \cdot (4 \cdot 200 + 50)$ tokens of 24,576 bytes, 1.3 GB: five times
# the 260 MB of the model's 65 million weights.
#
# </details>

# %% tags=["hide-input"]
changed = np.concatenate([x[:1], [[2.0, -1.0]], x[2:]])  # question 2 with four tokens, of which the second is replaced


def rows_that_stay(first, second):
    return np.isclose(first, second).all(1).tolist()


assert rows_that_stay(x @ W_K, changed @ W_K) == [True, False, True, True]
second_layer = [attention(tokens, np.tri(len(x))) @ W_K for tokens in (x, changed)]
assert rows_that_stay(*second_layer) == [True, False, False, False]
assert per_token * 250 == 4 * 1_536_000 and round(4 * 1_536_000 / 1e6, 1) == 6.1
assert round(64 * (4 * 200 + 50) * per_token / 1e9, 1) == 1.3

# %% [markdown]
# One text of 10,600 tokens, or fifty of 212, has a cache as large as the weights. [Notebook
# 31](31_swiglu_and_grouped_queries.ipynb) lets heads share their keys and values, which makes it smaller.
#
# Next: [notebook 21](21_what_is_a_good_translation.ipynb), how translations are scored.
#
# Write it yourself: exercise kv_cache. `npformer course start my-course` begins the course.
