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
# # 16 One training step, opened
#
# **The idea:** training is eight lines, again and again. Here they run once, on one small batch, and you see the
# numbers before and after each.
#
# Paper: section 5. About 25 minutes to read and run, 40 with every change and question. What you need before: [notebook
# 12](12_the_backward_of_each_layer.ipynb) for the backward of each layer, [notebook 14](14_the_loss.ipynb) for label
# smoothing and [notebook 15](15_adam_and_warm_up.ipynb) for Adam and the learning rate.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import side_by_side

# %% [markdown]
# ## The eight lines
#
# A model with few numbers, a batch of two sentences, and everything that a step needs. The task is to write digits in
# reverse order; digit $n$ has the id $4 + n$, and 0 is padding, 2 is `<bos>`, 3 is `<eos>`.

# %%
sizes = {"d_model": 8, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
config = npf.TransformerConfig(src_vocab_size=8, tgt_vocab_size=8, **sizes)
batch = npf.tasks.TranslationBatch.of([[4, 5, 6], [7, 4]], [[6, 5, 4], [4, 7]])  # change the digits and run all again


def fresh(rate=0.01, config=config):
    """Return a model, its loss, and Adam, which has all of its parameters as one array."""
    model = npf.Transformer(config, rng=0)
    return model, npf.tasks.LabelSmoothingLoss(eps=0.1), npf.training.Adam(model.parameters(), learning_rate=rate)


def training_step(model, loss, adam, batch, max_norm=1.0):
    """Change the weights once; return the loss and the norm of the gradient before."""
    model.zero_grad()  # 1. forget the gradients of the last step
    logits = model.forward(batch.src, batch.tgt_in)  # 2. forward
    value = loss.forward(logits, batch.tgt_out)  # 3. loss
    dlogits = loss.backward()  # 4. backward of the loss
    model.backward(dlogits)  # 5. backward of the model
    norm = adam.clip_gradient(max_norm)  # 6. clip
    adam.step()  # 7. Adam
    return value, norm  # 8. report


model, loss, adam = fresh()
value, norm = training_step(model, loss, adam, batch)
print(f"{adam.data.size} numbers changed; loss {value:.4f}, norm of the gradient {norm:.3f}")

# %% [markdown]
# ## Line by line
#
# Now once more from the start.
#
# ### Lines 1 and 2: forward
#
# A fresh model, gradients zero. The decoder reads `tgt_in` and has to say `tgt_out`, its next tokens.

# %%
model, loss, adam = fresh()
model.zero_grad()
before = adam.data.copy()  # to compare with at the end
logits = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
print(side_by_side(2, src=batch.src, tgt_in=batch.tgt_in, tgt_out=batch.tgt_out))
print(side_by_side(2, logits_of_sentence_0=logits[0]))

# %% [markdown]
# One row per position, one column per token of the vocabulary. Nothing is learned yet: what is large is chance, or, as
# in rows 1 and 2, the token just read (notebook 14: one table reads and scores it).
#
# ### Line 3: the loss
#
# Softmax makes each row probabilities $p$. The target $q$ has most of its weight on the right token (label smoothing).
# The loss is the mean of $-\sum_v q_v \ln p_v$ over the real tokens: there are 7, the last position of sentence 1 is
# padding.

# %%
value = loss.forward(logits, batch.tgt_out)
p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
q = 0.9 * np.eye(8)[batch.tgt_out] + 0.1 / 8
print(side_by_side(2, p_of_sentence_0=p[0]))
print(side_by_side(2, q_of_sentence_0=q[0]))
per_token = -(q * np.log(p)).sum(-1)  # (B, T)
print(side_by_side(2, loss_per_token=per_token))
print(f"mean over {batch.n_tokens} real tokens: {value:.4f}; ln 8 = {np.log(8):.4f}")

# %% tags=["hide-input"]
assert np.isclose(per_token[batch.tgt_out != 0].mean(), value, rtol=1e-5)

# %% [markdown]
# A model that gives every token the same probability has the loss $\ln 8$. This one starts above that, and above the
# half nat more of notebook 14: it is often sure of a wrong token, such as the one just read.
#
# ### Line 4: back through the loss
#
# The gradient of the logits is $(p - q) / 7$: negative where a score is to rise, positive where it is to fall, and zero
# at the padding of sentence 1.

# %%
dlogits = loss.backward()
print(side_by_side(3, dlogits_of_sentence_0=dlogits[0]))
print(side_by_side(3, dlogits_of_sentence_1=dlogits[1]))

# %% tags=["hide-input"]
assert np.allclose(dlogits, (p - q) / batch.n_tokens * (batch.tgt_out != 0)[..., None], atol=1e-6)

# %% [markdown]
# ### Line 5: back through the model
#
# Every layer turns the gradient of its output into that of its input, and adds to the gradients of its parameters. Look
# at one of them, the first Linear of the decoder's feed-forward network, and at how large the gradient is in each part:

# %%
with npf.trace(model) as trace:
    model.forward(batch.src, batch.tgt_in)  # once more, only to be watched both ways
    model.backward(dlogits)
weight = model.decoder.layers[0].feed_forward.sublayer.linear_1.weight  # (8, 16)
print(side_by_side(2, weight=weight.data[:3, :6], gradient=weight.grad[:3, :6]))
zero = [name for name, p in model.named_parameters() if abs(p.grad).max() < 1e-7]
print("no gradient at all:", *zero, sep="\n  ")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, main_color

boxes = [name for name in trace if name.count(".") == 3 and trace[name].dy is not None]
figure, ax = new_figure(width=7, height=2.8)
ax.barh(
    [name.replace(".layers.0", "") for name in boxes], [np.linalg.norm(trace[b].dy) for b in boxes], color=main_color()
)
ax.set(xlabel="norm of the gradient that arrives at the output")
figure

# %% [markdown]
# The bias of the keys has no gradient, and never will: it adds the same to all scores of a query, which softmax does
# not notice (notebook 04b).
#
# ### Line 6: clip
#
# All gradients together are one vector of 1,568 numbers. If it is longer than `max_norm`, it is scaled down to that, so
# that one strange batch cannot throw the weights far. The direction stays.

# %%
gradient = adam.grad.copy()
norm = adam.clip_gradient(1.0)  # change this to 0.1 or 100 and run the cells from "Lines 1 and 2" again
ratio = np.linalg.norm(adam.grad) / norm
print(f"norm before {norm:.4f}, after {np.linalg.norm(adam.grad):.4f}: every number times {ratio:.4f}")
print(side_by_side(4, before=gradient[:4], after=adam.grad[:4]))
assert np.allclose(adam.grad, gradient * ratio, atol=1e-6)

# %% [markdown]
# ### Line 7: Adam
#
# Two running means per weight, $m$ of the gradient and $v$ of its square, both 0 until now. After the first step they
# are $0.1\,g$ and $0.02\,g^2$; corrected for their start they are $g$ and $g^2$, and the step is $\eta\, g / |g|$.

# %%
place = np.argsort(-abs(adam.grad))[[0, 40, 400, 1200]]  # weights with large and small gradients
adam.step()
after = adam.data.copy()
print("  weight before     gradient            m            v   weight after       change")
for i in place:
    means = f"{adam.grad[i]:12.2e} {adam.m[i]:12.2e} {adam.v[i]:12.2e}"
    print(f"{before[i]:15.5f} {means} {after[i]:14.5f} {after[i] - before[i]:12.5f}")

# %% tags=["hide-input"]
assert np.allclose(abs(after - before)[place], 0.01, rtol=1e-3)
other, other_loss, other_adam = fresh()
trainer = npf.training.Trainer(npf.tasks.Objective(other), other_adam, [], clip_norm=1.0)
trainer.update([batch])
beyond_rounding = abs(gradient) > 1e-6
assert np.allclose(
    other_adam.data[beyond_rounding], after[beyond_rounding], atol=1e-4
)  # the Trainer takes the same step

# %% [markdown]
# The gradients differ more than a hundredfold, and each weight moves by the learning rate, 0.01. (So clipping does not
# change the *first* step of Adam at all. It counts later, when $m$ and $v$ remember other batches.)
#
# ### Line 8, and what has changed
#
# Line 8 reports the loss and the norm from before the step. To see what the step did, the same batch once more, forward
# only:

# %%
new_logits = model.forward(batch.src, batch.tgt_in)
new_value = loss.forward(new_logits, batch.tgt_out)
new_p = np.exp(new_logits) / np.exp(new_logits).sum(-1, keepdims=True)
print(f"loss {value:.4f} -> {new_value:.4f}")
right = np.take_along_axis(p, batch.tgt_out[..., None], -1)[0, :, 0]
new_right = np.take_along_axis(new_p, batch.tgt_out[..., None], -1)[0, :, 0]
print(side_by_side(3, right_token=batch.tgt_out[0], its_p=right, its_p_after=new_right))
assert new_value < value

# %% tags=["hide-input"]
figure, axes = new_figure(1, 4, width=10, height=2.4)
for t, ax in enumerate(axes):
    ax.bar(np.arange(8) - 0.2, p[0, t], 0.4, color=main_color(), label="before")
    ax.bar(np.arange(8) + 0.2, new_p[0, t], 0.4, color=ORANGE, label="after")
    ax.set(title=f"position {t}, right: {batch.tgt_out[0, t]}", xlabel="token", ylim=(0, 1), xticks=range(8))
axes[0].set_ylabel("probability")
axes[0].legend()
figure

# %% [markdown]
# ## The same step again
#
# A training is thousands of steps with other batches. The first test of any new model is to repeat the step on *one*
# batch: it must learn it by heart. The least possible loss is the entropy of $q$. And what if you leave out a line,
# `zero_grad` or `step`? Guess both curves first.


# %%
def train(batches, leave_out="", config=config):
    """Take one step per batch; return the losses."""
    model, loss, adam = fresh(rate=0.005, config=config)
    if leave_out == "zero_grad":
        model.zero_grad = lambda: None
    if leave_out == "step":
        adam.step = lambda: None
    return [training_step(model, loss, adam, one)[0] for one in batches]


def entropy(n_tokens, eps=0.1):
    """Return the least possible loss."""
    q = np.array([1 - eps + eps / n_tokens] + [eps / n_tokens] * (n_tokens - 1))
    return -(q * np.log(q)).sum()


curves = {name: train([batch] * 150, name) for name in ("", "zero_grad", "step")}  # change 150 to 500, run again
for name, losses in curves.items():
    label = f"without {name}" if name else "all eight lines"
    print(f"{label:18} first {losses[0]:.3f}   last {losses[-1]:.3f}   (least possible {entropy(8):.3f})")

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
for (name, losses), style in zip(curves.items(), ("-", "--", ":"), strict=True):
    color = main_color() if style == "-" else ORANGE
    ax.plot(losses, style, color=color, linewidth=2, label=f"without {name}" if name else "all eight lines")
ax.axhline(entropy(8), color="gray", linewidth=1)
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
assert curves[""][-1] < entropy(8) + 0.1 and curves["step"][-1] == curves["step"][0]
figure

# %% [markdown]
# Without `step` nothing is learned. Without `zero_grad` the gradient of each step is the sum of all so far. On one
# batch that is nearly harmless, 0.52 instead of 0.49: one batch asks for the same direction again and again. So the
# test that finds most bugs does not find this one. A real training has other batches:


# %%
def other_batches(seed, n=300, size=16):  # change the 300 to 1000 and run it again
    """Return n batches of pairs: three to six random digits, and the same in reverse order."""
    rng, batches = np.random.default_rng(seed), []
    for _ in range(n):
        rows = [rng.integers(4, 14, rng.integers(3, 7)).tolist() for _ in range(size)]
        batches.append(npf.tasks.TranslationBatch.collate([(row, row[::-1]) for row in rows]))
    return batches


larger = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, **{**sizes, "d_model": 32, "d_ff": 64})
runs = {name: [train(other_batches(seed), name, larger) for seed in range(2)] for name in ("", "zero_grad")}

# %% tags=["hide-input"]
from npformer.visualization.plots.curves import running_mean

figure, ax = new_figure(width=7, height=3)
for name, color, style in (("", main_color(), "-"), ("zero_grad", ORANGE, "--")):
    for seed, losses in enumerate(runs[name]):
        label = f"without {name}" if name else "all eight lines"
        ax.plot(running_mean(losses, 10), style, color=color, linewidth=2, label=None if seed else label)
ax.axhline(entropy(14), color="gray", linewidth=1)
ax.set(xlabel="update, each with another batch", ylabel="loss (mean of 10)", ylim=(0, None))
ax.legend()
ends = {name: [np.mean(losses[-10:]) for losses in both] for name, both in runs.items()}
assert max(ends[""]) < min(ends["zero_grad"]) and np.mean(ends["zero_grad"]) > np.mean(ends[""]) + 0.5
figure

# %% [markdown]
# Both seeds learn with all eight lines, and neither without `zero_grad`: the loss stays above 2, after 1000 updates
# too. The newest gradient is one of hundreds in the sum, and what the first batches asked for weighs as much as what
# this one asks for. Clipping and Adam hide how long the sum has become. There is no error, and the curve falls at
# first: compare its *end* with the least that the task allows.
#
# ## A broken batch
#
# And line 6? Let the gradient of one update be 1000 times too large, as from a broken batch, and train with clipping
# and without. The third training has neither clipping nor a broken update:


# %%
def with_broken_batch(max_norm, factor=1000, n=150):  # change the 1000 to 10 or 1e6 and run it again
    """Take n steps, the 21st with a gradient that is too large; return the losses."""
    model, loss, adam = fresh(rate=0.005)
    losses = []
    for step in range(n):
        model.zero_grad()
        losses.append(loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out))
        dlogits = loss.backward()
        model.backward(dlogits * (factor if step == 20 else 1))
        adam.clip_gradient(max_norm)
        adam.step()
    return losses


broken = {
    "broken, clipped at 1": with_broken_batch(1.0),
    "broken, not clipped": with_broken_batch(1e9),
    "neither": with_broken_batch(1e9, factor=1),
}
for name, losses in broken.items():
    print(f"{name:20} loss at updates 21, 22, 50, 150: " + "  ".join(f"{losses[i]:.3f}" for i in (20, 21, 49, 149)))

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2.8)
looks = ((main_color(), "-"), (ORANGE, "-"), (ORANGE, ":"))
for (name, losses), (color, style) in zip(broken.items(), looks, strict=True):
    ax.plot(losses, style, color=color, linewidth=2, label=name)
ax.axvline(20, color="gray", linewidth=1, linestyle=":")
ax.set(xlabel="update (dotted: the broken one)", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
figure

# %% [markdown]
# The broken update itself does no harm: Adam divides it away. But its square stays in $v$ for hundreds of updates
# ($0.98^{100} = 0.13$), and all good gradients after it are divided by it: at update 50 the loss is 1.39 instead of
# 0.86, and the training nearly stands still. With clipping it is 0.74, even less than without any broken update.
# Clipping has shortened the large gradients of the start too, whose squares would also have stayed in $v$.
#
# ## Questions
#
# **1.** You want batches of 4096 tokens, but the memory is enough for 1024. Which of the eight lines do you move?
#
# <details><summary>Answer</summary>
#
# Lines 2 to 5 run four times, line 1 before and lines 6 and 7 after all four. Gradients add up by themselves. The loss
# has to be divided by the number of tokens of all four, not of each: `loss.forward(logits, tgt_out, n_tokens)`. In the
# `Trainer` that is `accumulate=4`.
#
# </details>
#
# **2.** Someone writes line 6 before line 5. What happens, and who notices?
#
# <details><summary>Answer</summary>
#
# The gradients are all zero at that point, and nothing is ever clipped. No one notices, until a batch with an enormous
# gradient comes. Print the norm that `clip_gradient` returns: it would always be 0.
#
# </details>
#
# **3.** Without `zero_grad` the loss of one batch still falls. Why?
#
# <details><summary>Answer</summary>
#
# The gradient in use is the sum of all so far: old directions count as much as new ones. It is a momentum that never
# fades. On one batch it goes downhill for a while and then overshoots; with clipping, and with Adam's division, its
# growing length is not even seen.
#
# </details>
#
# ---
#
# Next: [notebook 16b](16b_line_by_line.ipynb), the same in every line of every layer.
#
# Write it yourself: exercise training_step. `npformer course start my-course` begins the course.
