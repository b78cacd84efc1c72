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
# # 07c One training step, line by line
#
# **The idea:** one update of a tiny model is a thousand lines of code that run. The step debugger holds at each of them; ten
# stops show what the rest repeats.
#
# Paper: figure 1 and section 5. About 25 minutes. What you need before:
# [notebook 07b](07b_one_training_step.ipynb).

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from pictures import StepFrame, plot_arrays, side_by_side

sizes = {"d_model": 8, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
config = npf.TransformerConfig(src_vocab_size=8, tgt_vocab_size=8, **sizes)
model = npf.Transformer(config, rng=0)
adam = npf.training.Adam(npf.training.FlatParameters(model.parameters()), learning_rate=0.01)
batch = npf.tasks.TranslationBatch.of([[4, 5, 6]], [[6, 5, 4]])
recording = npf.step_through(npf.tasks.Objective(model), batch, adam)
print(recording)

# %% [markdown]
# In the frame, the right arrow key goes one line on, the down arrow key over a call. Figure 1 is at its left, or in a narrow
# window below the code. Each stop below has words to type into the search field of the frame, and Enter goes there. The same words
# find the arrays in Python:


# %%
def found(words, hit=0):
    """Return an array of the recording."""
    _, array = recording.find(words)[hit]
    return recording[array]


StepFrame(recording, "encoder.tokens.embedding returned")

# %% [markdown]
# ## Forward
#
# ### Stop 1: ids become vectors
#
# Search: `encoder.tokens.embedding returned`. The table has one row per token. Each id takes its row, times
# $\sqrt{d_{model}}$; then the positional encoding is added.

# %%
table, ids = found("encoder.tokens.embedding table"), found("encoder.tokens.embedding ids")
rows, x = found("encoder.tokens.embedding returned"), found("encoder.tokens.positions returned")
print(side_by_side(2, ids=ids[0], rows=rows[0, :, :4], with_positions=x[0, :, :4]))
assert np.allclose(rows, table[ids] * np.sqrt(8), atol=1e-6)

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
# Search: `encoder.layers.0 weights`. Every position looks at every other: $\mathrm{softmax}(QK^T/\sqrt{d_k})$, per head.

# %%
query, key = (found(f"encoder.layers.0.self_attention.sublayer.attention {name}") for name in ("query", "key"))
weights = found("encoder.layers.0.self_attention weights")
scores = query @ key.swapaxes(-1, -2) / np.sqrt(4)
print(side_by_side(2, scores=scores[0, 0], weights=weights[0, 0]))
assert np.allclose(weights, np.exp(scores) / np.exp(scores).sum(-1, keepdims=True), atol=1e-6)

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
# Search: `decoder.layers.0.self_attention weights`. The same lines, but `past` forbids the future: a triangle of zeros.

# %%
past, masked = found("decoder.layers.0.self_attention past"), found("decoder.layers.0.self_attention weights")
print(side_by_side(2, past=past.astype(int), weights=masked[0, 0]))
assert np.all(masked[..., ~past] == 0)

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
# Search: `decoder.layers.0.self_attention.norm xhat`. Each row loses its mean and is divided by its standard deviation.

# %%
summed, xhat = (found(f"decoder.layers.0.self_attention.norm {name}") for name in ("x", "xhat"))
print(side_by_side(2, mean_before=summed[0].mean(-1), std_before=summed[0].std(-1)))
print(side_by_side(2, mean_after=xhat[0].mean(-1), std_after=xhat[0].std(-1)))
assert np.allclose(xhat.std(-1), 1, atol=1e-3)

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
# Search: `loss losses`. The generator makes eight logits per position, and the loss one number of each position.

# %%
losses, softmax = found("loss losses"), found("loss probabilities", 1)  # the second hit, after the division
print(side_by_side(2, softmax=softmax, targets=batch.tgt_out[0], losses=losses[:, 0]))
print(f"mean {losses.mean():.4f}, the loss of the update {recording.loss:.4f}")
assert np.isclose(losses.mean(), recording.loss, rtol=1e-5)

# %% [markdown]
# **Question.** Forward is over. Which of its arrays are still in memory, and where does the frame show it?
#
# <details><summary>Answer</summary>
#
# What each layer passed to `remember`. The frame shows it with a dashed border.
#
# </details>
#
# ## Backward
#
# ### Stop 6: the first gradient
#
# Search: `loss dlogits`. Probability minus target, divided by the four tokens. From here on every array has a gradient of
# its own shape.

# %%
dlogits = found("loss returned", 1)
print(side_by_side(3, dlogits=dlogits[0]))
target = 0.9 * np.eye(8)[batch.tgt_out] + 0.1 / 8
assert np.allclose(dlogits, (softmax - target) / 4, atol=1e-6)

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
# Search: `decoder.layers.0.feed_forward.norm dxhat`. What is returned has lost two things that `dxhat` had: its mean,
# and its projection on `xhat`.

# %%
norm = "decoder.layers.0.feed_forward.norm"
xhat, dxhat, dx = found(f"{norm} xhat"), found(f"{norm} dxhat"), found(f"{norm} returned", 1)
print("row by row    mean     with xhat")
for name, gradient in (("dxhat", dxhat), ("dx", dx)):
    means, projections = gradient[0].mean(-1) + 0.0, (gradient * xhat)[0].mean(-1) + 0.0
    print(f"{name:8} {np.abs(means).max():9.6f} {np.abs(projections).max():13.6f}   (the largest)")
assert np.allclose([dx.mean(-1), (dx * xhat).mean(-1)], 0, atol=1e-5)

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
# Here the frame is again, where `dscores` has just been made. Three factors came out of forward, and three gradients
# return: `dvalue`, `dkey` and `dquery`.

# %%
StepFrame(recording, "decoder.layers.0.self_attention dscores")

# %%
dweights, dscores = (found(f"decoder.layers.0.self_attention {name}") for name in ("dweights", "dscores"))
print(side_by_side(4, weights=masked[0, 0], dscores=dscores[0, 0]))
assert np.allclose(dscores, masked * (dweights - (dweights * masked).sum(-1, keepdims=True)), atol=1e-6)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure

figure, axes = new_figure(1, 2, width=8, height=2.2)
plot_arrays(axes, {"weights, head 0": masked[0, 0], "1000 dscores, head 0": 1000 * dscores[0, 0]})
figure

# %% [markdown]
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
# Search: `table.grad`. The embeddings of source and target and the generator are one Parameter (section 3.4), so three
# lines add to its gradient, the generator's first.

# %%
gradients = [recording[array] for _, array in recording.find("table.grad")]
for name, gradient in zip(("generator", "decoder.tokens", "encoder.tokens"), gradients, strict=True):
    print(f"after {name:15} norm {np.linalg.norm(gradient):.4f}")
table_gradient = gradients[-1]
assert np.array_equal(table_gradient, model.encoder.tokens.embedding.table.grad)

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
# Search: `Adam encoder.tokens.embedding.table`. Now the picture has a parameter before and after.

# %%
StepFrame(recording, "Adam encoder.tokens.embedding.table")

# %%
after = model.encoder.tokens.embedding.table.data
change = after - table
print(side_by_side(4, before=table[4:7, :3], after=after[4:7, :3], change=change[4:7, :3]))
large = abs(table_gradient) > 1e-5
assert np.allclose(change[large], -0.01 * np.sign(table_gradient[large]), atol=1e-4)

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
# ---
#
# To step through a trained model: `npformer step runs/phrasebook "The girl sees a small dog." --html step.html`.
#
# Next: [notebook 07d](07d_debugging_a_training.ipynb), how to find bugs that no error reports.
