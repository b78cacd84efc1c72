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
# # 16b One training step, line by line
#
# **The idea:** one update of a tiny model is a thousand lines of code that run. The step debugger holds at each of
# them. At ten stops one number of an array is worked out, three times by you, and found in the recording; the other
# numbers are made in the same way.
#
# Paper: figure 1 and section 5. About 25 minutes to read and run, 45 with every change and question. Before this:
# [notebook 16](16_one_training_step.ipynb).

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import StepFrame, plot_arrays, side_by_side

sizes = {"d_model": 8, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
config = npf.TransformerConfig(src_vocab_size=8, tgt_vocab_size=8, **sizes)
model = npf.Transformer(config, rng=0)
adam = npf.training.Adam(model.parameters(), learning_rate=0.01)
batch = npf.tasks.TranslationBatch.of([[4, 5, 6]], [[6, 5, 4]])  # change the ids, 4 to 7, and run all again
recording = npf.step_through(npf.tasks.Objective(model), batch, adam)
print(recording)

# %% [markdown]
# In the frame, the right arrow key goes one line on, the down arrow key over a call. Figure 1 is at its left, or in a
# narrow window below the code. Words in the search field find an array, Enter goes there, and the same words find it in
# Python. Each stop ends with a small frame that is there already (in a narrow one, the array is below the code).
# `agree` prints a calculation next to the number in the recording.


# %%
def found(words, hit=0):
    """Return an array of the recording; `hit` 1 is the second that these words find, often that of backward."""
    _, array = recording.find(words)[hit]
    return recording[array]


def agree(text, by_hand, recorded):
    """Print a calculation with its result, and fail unless the recording has the same number."""
    if by_hand is ...:  # not filled in yet
        return print(f"{text} = ?, recorded {recorded:.4f}")
    print(f"{text} = {by_hand:.4f}, recorded {recorded:.4f}")
    assert np.isclose(by_hand, recorded, atol=1e-5)


frame = StepFrame(recording, "encoder.input_embedding.embedding returned")
frame

# %% [markdown]
# ## Forward
#
# ### Stop 1: ids become vectors
#
# The frame above is there. Each id takes its row of the table, times $\sqrt{d_{model}}$; then the
# positional encoding is added. Feature 0 of the encoding at position $t$ is $\sin t$.

# %%
table, ids = found("encoder.input_embedding.embedding table"), found("encoder.input_embedding.embedding ids")
rows, x = found("encoder.input_embedding.embedding returned"), found("encoder.input_embedding.positions returned")
print(side_by_side(2, ids=ids[0], rows=rows[0, :, :4], with_positions=x[0, :, :4]))

t = 1  # position; change this and run it again
entry = table[ids[0, t], 0]
agree(f"{entry:.4f} * sqrt(8) + sin({t})", entry * np.sqrt(8) + np.sin(t), x[0, t, 0])

# %% [markdown]
# **Question.** Two tokens of the sentence are equal. Where do their vectors begin to differ?
#
# <details><summary>Answer</summary>
#
# In `positions`: the rows of the table are equal, the encodings that are added differ.
#
# </details>
#
# ### Stop 2: attention in the encoder
#
# Every position looks at every other: $\mathrm{softmax}(QK^T/\sqrt{d_k})$, per head. This time **you** work it out:
# fill in `by_hand`, from `query`, `key` and `scores`. If it is wrong, the cell fails. The folded cell has a solution.

# %%
query, key = (found(f"encoder.layers.0.self_attention.sublayer.attention {name}") for name in ("query", "key"))
weights = found("encoder.layers.0.self_attention weights")  # (B, H, T, S)
scores = query @ key.swapaxes(-1, -2) / np.sqrt(4)
print(side_by_side(2, scores=scores[0, 0], weights=weights[0, 0]))
assert np.allclose(weights, np.exp(scores) / np.exp(scores).sum(-1, keepdims=True), atol=1e-6)

i, j = 0, 1  # query and key; change these and run it again
by_hand = ...  # the weight of key j for query i in head 0
agree("weight", by_hand, weights[0, 0, i, j])
frame.at("encoder.layers.0 weights")

# %% tags=["hide-input"]
products = [f"{a:.2f} * {b:.2f}" for a, b in zip(query[0, 0, i], key[0, 0, j], strict=True)]
print(f"score: ({' + '.join(products)}) / 2 = {scores[0, 0, i, j]:.4f}")
exponentials = [np.exp(score) for score in scores[0, 0, i]]
total = " + ".join(f"{e:.2f}" for e in exponentials)
agree(f"weight: {exponentials[j]:.2f} / ({total})", exponentials[j] / sum(exponentials), weights[0, 0, i, j])

# %% [markdown]
# **Question.** What does a row of weights sum to, and which of the two softmaxes of figure 1 is this?
#
# <details><summary>Answer</summary>
#
# To 1. It is the softmax inside attention; the other one is over the vocabulary, in the loss.
#
# </details>
#
# ### Stop 3: the mask of the decoder
#
# The same lines, but `past` forbids the future: it is left out of the sum.

# %%
attention = "decoder.layers.0.self_attention.sublayer.attention"
query, key, past = found(f"{attention} query"), found(f"{attention} key"), found(f"{attention} past")
masked = found("decoder.layers.0.self_attention weights")
print(side_by_side(2, past=past.astype(int), weights=masked[0, 0]))

i, j = 2, 1  # query and key; change i to 3 and run it again: the sum gets one term more
exponentials = [np.exp(query[0, 0, i] @ key[0, 0, s] / 2) for s in range(i + 1)]
total = " + ".join(f"{e:.2f}" for e in exponentials)
agree(f"{exponentials[j]:.2f} / ({total})", exponentials[j] / sum(exponentials), masked[0, 0, i, j])
assert np.all(masked[..., ~past] == 0)
frame.at("decoder.layers.0.self_attention weights")

# %% [markdown]
# **Question.** The first row is 1, 0, 0, 0 in every head and in every model. Why?
#
# <details><summary>Answer</summary>
#
# The first position may see only itself, and softmax of one number is 1.
#
# </details>
#
# ### Stop 4: add and norm
#
# What entered the sub-layer and what it made of that are added. Then
# each row loses its mean and is divided by its standard deviation.

# %%
box = "decoder.layers.0.self_attention"
x, y, xhat = found(f"{box} x"), found(f"{box} y"), found(f"{box}.norm xhat")
summed = (x + y)[0]
print(side_by_side(2, mean=summed.mean(-1), std=summed.std(-1)))
print(side_by_side(2, mean_after=xhat[0].mean(-1) + 0.0, std_after=xhat[0].std(-1)))

t = 1  # position; change this and run it again
mean, std = summed[t].mean(), summed[t].std()
by_hand = (x[0, t, 0] + y[0, t, 0] - mean) / std
agree(f"feature 0: ({x[0, t, 0]:.2f} + {y[0, t, 0]:.2f} - {mean:.2f}) / {std:.2f}", by_hand, xhat[0, t, 0])
frame.at("decoder.layers.0.self_attention.norm xhat")

# %% [markdown]
# **Question.** Which line adds the residual, and in which file is it?
#
# <details><summary>Answer</summary>
#
# The last line of `PostNorm.forward` in `add_norm.py`: x plus what the sublayer made of it. The norm is its next call.
#
# </details>
#
# ### Stop 5: logits and loss
#
# The generator makes eight logits per position, and the loss one number: $-\sum_v q_v \ln p_v$, where
# $p$ is the softmax, `exp_z / total`, and the target $q$ has 0.9 on the right token and 0.1 spread over all eight.

# %%
losses, softmax = found("loss losses"), found("loss exp_z") / found("loss total")
print(side_by_side(2, softmax=softmax, targets=batch.tgt_out[0], losses=losses[:, 0]))

t = 0  # position; change this and run it again
p = softmax[t, batch.tgt_out[0, t]]
logs = np.log(softmax[t]).mean()  # of all eight tokens
agree(f"-0.9 ln {p:.3f} - 0.1 * ({logs:.3f}, the mean of all ln p)", -0.9 * np.log(p) - 0.1 * logs, losses[t, 0])
agree(f"mean of the {batch.n_tokens} losses", losses.mean(), recording.loss)
frame.at("loss losses")

# %% [markdown]
# **Question.** Forward is over. Which of its arrays are still in memory, and where does the frame show it?
#
# <details><summary>Answer</summary>
#
# What each layer passed to `remember`. The frame shows it with a dashed border, like the parameters, which are in
# memory anyway.
#
# </details>
#
# ## Backward
#
# ### Stop 6: the first gradient
#
# Probability minus target, divided by the four tokens. From here on every array has a gradient of
# its own shape.

# %%
dlogits = found("loss returned", 1)[0]
print(side_by_side(3, dlogits=dlogits))

t = 0  # position; change this and run it again
right = batch.tgt_out[0, t]
wrong = max(set(range(8)) - {right}, key=lambda token: softmax[t, token])  # the most probable wrong token
for token, target in ((right, 0.9 + 0.1 / 8), (wrong, 0.1 / 8)):
    p = softmax[t, token]
    n = batch.n_tokens  # three digits and <eos>
    agree(f"token {token}: ({p:.4f} - {target:.4f}) / {n}", (p - target) / n, dlogits[t, token])
frame.at("loss dlogits")

# %% [markdown]
# **Question.** What do its rows sum to?
#
# <details><summary>Answer</summary>
#
# To 0: probabilities and targets both sum to 1. Adding the same to all logits changes nothing.
#
# </details>
#
# ### Stop 7: LayerNorm, backwards
#
# What is returned has lost two things that `dxhat` had: its mean, and its projection on `xhat`. It is then divided by
# the standard deviation, that is, multiplied by `rstd`. **You** again, from `dxhat`, `xhat` and `rstd`:

# %%
norm = "decoder.layers.0.feed_forward.norm"
xhat, rstd, dxhat = (found(f"{norm} {name}")[0] for name in ("xhat", "rstd", "dxhat"))
dx = found(f"{norm} returned", 1)[0]
for name, gradient in (("dxhat", dxhat), ("dx", dx)):
    means = np.array([gradient[0].mean(), (gradient * xhat)[0].mean()]).round(5) + 0.0  # no -0
    print(f"{name:5} mean {means[0]:8.5f}   mean with xhat {means[1]:8.5f}")

t, d = 0, 2  # position and feature; change these and run it again
by_hand = ...  # dx of feature d at position t
agree("dx", by_hand, dx[t, d])
frame.at("decoder.layers.0.feed_forward.norm dxhat")

# %% tags=["hide-input"]
mean, projection = dxhat[t].mean(), (dxhat * xhat)[t].mean()
terms = f"{dxhat[t, d]:.4f} - {mean:.4f} - {xhat[t, d]:.4f} * {projection:.4f}"
by_hand = rstd[t, 0] * (dxhat[t, d] - mean - xhat[t, d] * projection)
agree(f"{rstd[t, 0]:.4f} * ({terms})", by_hand, dx[t, d])

# %% [markdown]
# **Question.** Why can no gradient along the mean get through a LayerNorm?
#
# <details><summary>Answer</summary>
#
# Forward subtracts the mean: moving a whole row leaves the output as it was, so the derivative in this direction is 0.
#
# </details>
#
# ### Stop 8: attention, backwards
#
# Forward multiplied queries, keys and values, and three gradients return: `dvalue`, `dkey` and `dquery`. On the way
# softmax turns `dweights` into `dscores`. These are the gradients of the *scaled* scores: in the frame, the yellow line
# divides them by $\sqrt{d_k} = 2$, in place, and the line of `dquery` uses the halves.

# %%
dweights, dscores = (found(f"decoder.layers.0.self_attention {name}")[0, 0] for name in ("dweights", "dscores"))
key, dquery = (found(f"{attention} {name}")[0, 0] for name in ("key", "dquery"))
weights = masked[0, 0]
i, j = 1, 0  # query and key; change these and run it again
mean = (weights[i] * dweights[i]).sum()  # of the row of dweights, weighted by attention
terms = " + ".join(f"{w:.3f} * {dw:.4f}" for w, dw in zip(weights[i, : i + 1], dweights[i], strict=False))
print(f"weighted mean of dweights: {terms} = {mean:.4f}")
by_hand = weights[i, j] * (dweights[i, j] - mean)
agree(f"dscores: {weights[i, j]:.3f} * ({dweights[i, j]:.4f} - {mean:.4f})", by_hand, dscores[i, j])
halves = " + ".join(f"{d / 2:.4f} * {k:.2f}" for d, k in zip(dscores[i, : i + 1], key[:, 0], strict=False))
agree(f"dquery, feature 0: {halves}", dscores[i] / 2 @ key[:, 0], dquery[i, 0])
frame.at("decoder.layers.0.self_attention dscores")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure

figure, axes = new_figure(1, 2, width=8, height=2.2)
shown = {"weights, head 0": weights, "1000 dscores, head 0": 1000 * dscores + 0.0}  # no -0
plot_arrays(axes, shown, {"1000 dscores, head 0": [(i, j)]})
figure

# %% [markdown]
# The filled entry is the one that was worked out first.
#
# **Question.** The first row of `dscores` is zero. Is this chance?
#
# <details><summary>Answer</summary>
#
# No. Its weights are 1, 0, 0, 0 whatever the scores are, so no score changes the loss.
#
# </details>
#
# ### Stop 9: one table, three gradients
#
# The embeddings of source and target and the generator are one Parameter (section 3.4), so three
# lines add to its gradient, the generator's first.

# %%
gradients = [recording[array] for _, array in recording.find("table.grad")]
x = found("generator x")[0]  # what the decoder gave to the generator
rows = {name: found(f"{name}.input_embedding.embedding drows") for name in ("decoder", "encoder")}

token, d = 5, 0  # change the token to 7, which is nowhere in the batch, and run it again: two terms are 0
entry = dlogits[:, token] @ x[:, d]
terms = " + ".join(f"{a:.2f} * {b:.2f}" for a, b in zip(dlogits[:, token], x[:, d], strict=True))
print(terms)
agree("generator: the sum of these", entry, gradients[0][token, d])
for (name, drows), ids, gradient in zip(rows.items(), (batch.tgt_in[0], batch.src[0]), gradients[1:], strict=True):
    before, added = entry, drows[ids == token, d].sum()
    entry = before + added
    agree(f"{name}: {before:.4f} + {added:.4f}", entry, gradient[token, d])
table_gradient = gradients[-1]
frame.at("table.grad")

# %% [markdown]
# **Question.** Token 7 occurs nowhere in the batch. Does its row of the table have a gradient?
#
# <details><summary>Answer</summary>
#
# Yes, from the generator: its probability should fall at every position. The embeddings add nothing to this row.
#
# </details>
#
# ## The update
#
# ### Stop 10: Adam
#
# Now the picture has a parameter before and after. $m$ and $v$ were 0; after one gradient $g$ they are $0.1\,g$ and
# $0.02\,g^2$, and corrected for their start $g$ and $g^2$ (line 7 of notebook 16). For the last time **you**, from
# `g` and `before`, with the learning rate 0.01:

# %%
after = model.encoder.input_embedding.embedding.table.data
print(side_by_side(4, before=table[4:7, :3], after=after[4:7, :3], change=(after - table)[4:7, :3]))

token, d = 5, 0  # change these and run it again
g, before = table_gradient[token, d], table[token, d]
by_hand = ...  # this number of the table after the update
agree("after", by_hand, after[token, d])
frame.at("Adam encoder.input_embedding.embedding.table")

# %% tags=["hide-input"]
m, v = 0.1 * g, 0.02 * g**2
print(f"g = {g:.4f}, m = {m:.4f}, v = {v:.4f}")
m_hat, v_hat = m / (1 - 0.9), v / (1 - 0.98)
agree(f"{before:.4f} - 0.01 * {m_hat:.4f} / sqrt({v_hat:.4f})", before - 0.01 * m_hat / np.sqrt(v_hat), after[token, d])

# %% [markdown]
# **Question.** All changes are 0.01 or -0.01. Where did the size of the gradient go?
#
# <details><summary>Answer</summary>
#
# Adam divides $m$ by $\sqrt v$. After one update both come from one gradient, and $g/|g|$ is its sign. From the second
# update on, the ratio says how well the gradients agree.
#
# </details>
#
# One number was worked out at each stop. One number was worked out at each stop. The folded cell checks whole arrays:
# the vectors, the gradients of logits, scores and table, the update, and what LayerNorm must fulfill.

# %% tags=["hide-input"]
assert np.allclose(found("encoder.input_embedding.embedding returned"), table[batch.src] * np.sqrt(8), atol=1e-6)
assert np.allclose(found(f"{box}.norm xhat").std(-1), 1, atol=1e-3)
assert np.allclose(dlogits, (softmax - 0.9 * np.eye(8)[batch.tgt_out[0]] - 0.1 / 8) / n, atol=1e-6)
assert np.allclose([dx.mean(-1), (dx * xhat).mean(-1)], 0, atol=1e-5)
assert np.allclose(dscores, weights * (dweights - (dweights * weights).sum(-1, keepdims=True)), atol=1e-6)
assert np.array_equal(table_gradient, model.encoder.input_embedding.embedding.table.grad)
large = abs(table_gradient) > 1e-5
assert np.allclose((after - table)[large], -0.01 * np.sign(table_gradient[large]), atol=1e-4)

# %% [markdown]
# ---
#
# To step through a trained model: `npformer step runs/phrasebook "The girl sees a small dog." --html step.html`.
#
# Next: [notebook 18](18_debugging_a_training.ipynb), how to find bugs that no error reports.
#
# Write it yourself: exercises attention_backward, layer_norm_backward, tied_generator, adam.
# `npformer course start my-course` begins the course, and `npformer course step` opens this page on your own answer.
