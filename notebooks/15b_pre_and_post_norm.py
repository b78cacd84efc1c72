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
# # 15b Pre-norm and post-norm
#
# *A detour from [15](15_adam_and_warm_up.ipynb): nothing later needs it.
# [Notation](../docs/reference/notation.md).*
#
# The paper puts LayerNorm after the sum, and needs warm-up. Almost every model since puts it before the sub-layer. It
# has the same layers and the same parameters, only in another order. What is so different about it?
#
# **The idea:** a norm on the residual path scales down what came from below, so that the top consists of what the
# sub-layers wrote, and one step of the optimizer changes all of it.
#
# Paper: sections 3.1 and 5.3; Xiong et al. (2020), Liu et al. (2020). Code: `npformer/layers/add_norm.py`. About 30
# minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.expected import Expected
from helpers.pictures import show_arrays
from npformer.layers import FeedForward, PreNorm
from npformer_course import Bet

# %% [markdown]
# ## Two places for a norm
#
# With a sub-layer $f$, an attention or a feed-forward network:
#
# $$\text{post-norm:}\quad y = \mathrm{LayerNorm}\big(x + f(x)\big) \qquad\qquad
# \text{pre-norm:}\quad y = x + f\big(\mathrm{LayerNorm}(x)\big)$$
#
# In post-norm, backward begins with the norm, and everything passes through it: with $dz$ = `norm.backward(dy)`, the
# result is $dx = dz$ + `f.backward(dz)`.
#
# **Write it** for pre-norm. Each `backward` returns the gradient of its layer's input.

# %%
rng = np.random.default_rng(0)
x, dy = rng.normal(size=(2, 1, 3, 4))  # (1, 3, 4) each
layer = PreNorm(FeedForward(4, 16, rng=0, dtype="float64"), 4, dropout=0.0, dtype="float64")
layer.forward(x)
expected = Expected(dx=layer.backward(dy))

norm = layer.norm
f = layer.sublayer
y = x + f.forward(norm.forward(x))  # run this cell from its start each time: forward comes before backward
dx = ...  # from dy, with f.backward and norm.backward
dx = expected.check(dx=dx)

# %%
show_arrays("dy → dx", dy=dy[0], dx=dx[0])

# %% [markdown]
# The two are much alike. In pre-norm a gradient passes from the top of a stack to the embeddings by plain sums, whatever
# the sub-layers do. In post-norm a LayerNorm changes it after every sub-layer.
#
# (Pre-norm needs one more LayerNorm at the top of each stack, because there the sum has never been normalized.)
#
# ## The gradient of each layer
#
# What does that do to a model that has not learned anything yet? Take a decoder of 12 layers, and measure the norm of the
# gradient of all parameters of a layer, for three random starts.

# %%
from npformer.tasks import Objective, TranslationBatch

N_LAYERS = 12  # change it to 3: what is left of the difference?


def gradient_norms(norm, seed):
    """Return the gradient norm of each decoder layer of a fresh model, the lowest first."""
    rng = np.random.default_rng(seed)
    config = npf.TransformerConfig.tiny(
        src_vocab_size=50,
        tgt_vocab_size=50,
        n_encoder_layers=1,
        n_decoder_layers=N_LAYERS,
        norm=norm,
        dropout=0.0,
    )
    model = npf.Transformer(config, rng=rng)
    objective = Objective(model)
    objective.forward(TranslationBatch(*rng.integers(4, 50, (3, 16, 10))))  # src, tgt_in, tgt_out
    objective.backward()
    norms = []
    for layer in model.decoder.layers:
        squares = [(parameter.grad**2).sum() for parameter in layer.parameters()]
        norms.append(np.sqrt(sum(squares)))
    return norms


gradients = {}
for norm in ("post", "pre"):
    gradients[norm] = np.array([gradient_norms(norm, seed) for seed in range(3)])  # (3, 12)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

COLORS = {"post": main_color(), "pre": ORANGE}
figure, ax = new_figure(width=7, height=3)
for norm, runs in gradients.items():
    style = "o-" if norm == "post" else "s--"
    ax.plot(runs.mean(0), style, color=COLORS[norm], label=f"{norm}-norm, mean of three starts")
    ax.fill_between(range(N_LAYERS), runs.min(0), runs.max(0), color=COLORS[norm], alpha=0.2)
ax.set(xlabel="decoder layer (the last is next to the loss)", ylabel="norm of the gradient", xticks=range(N_LAYERS))
ax.set_ylim(bottom=0)
ax.legend()
figure

# %% [markdown]
# At the start a post-norm decoder gives its top layers several times the gradient of its lowest. In pre-norm it is the
# other way round, and milder. Xiong et al. (2020) concluded that post-norm needs small rates at first.
#
# But is that the reason? The paper trains with Adam, and you know from notebook 15 what Adam does with the *size* of a
# gradient.
#
# ## One step
#
# So give both kinds of model one step of the same size, 0.01 for every number. How far do the logits move, as a share of
# their own size? And how much is left of the differences between positions, which the failed training of notebook 15
# lost? The step has the signs of Adam's first, or random signs.

# %%
from helpers.warm_up import digits, fresh
from npformer.tasks import Batches
from npformer.training import Adam

RATE = 0.01  # change it to 0.0002, where the warm-up of notebook 15 starts
pairs, _ = digits()


def one_step(norm, layers, seed, random_signs):
    """Return how far a step moves the logits, and how much of their differences is left."""
    model = fresh(norm, layers, seed)
    adam = Adam(model.parameters(), RATE)
    objective = Objective(model)
    batch = next(Batches(pairs, batch_tokens=320, seed=seed).epoch(1).batches())
    objective.forward(batch, batch.n_tokens)
    objective.backward()
    if random_signs:
        adam.grad[:] = np.random.default_rng(seed).choice([-1, 1], size=adam.grad.size)
    with model.evaluating():
        before = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
        adam.step()
        after = model.forward(batch.src, batch.tgt_in)
    moved = np.linalg.norm(after - before) / np.linalg.norm(before)
    return moved, after.std((0, 1)).mean() / before.std((0, 1)).mean()


kinds = [("post", 1), ("pre", 1), ("post", 4), ("pre", 4)]
steps = {}
for random_signs in (False, True):
    runs = [[one_step(norm, layers, seed, random_signs) for seed in range(3)] for norm, layers in kinds]
    steps["random signs" if random_signs else "Adam's step"] = np.array(runs)  # (4, 3, 2)

# %%
table = np.concatenate([runs.mean(1) for runs in steps.values()], axis=1)  # (4, 4), means of three seeds
measured = ["Adam: moved", "Adam: left", "random: moved", "random: left"]
show_arrays(steps=table, rows=[f"{norm}-norm, {n} + {n} layers" for norm, n in kinds], columns=measured)

# %% [markdown]
# With four layers Adam's step moves the logits of post-norm by 1.9 times their own size, those of pre-norm by 1.3, and of
# the differences between positions it leaves 0.14 and 0.30. Random signs do less, and leave the differences as they are,
# but they too move post-norm about twice as far. And all of it grows with depth.
#
# The likely reason: each LayerNorm of post-norm scales down what came from below, and the top consists of what the
# sub-layers wrote. (In [14b](14b_where_the_loss_starts.ipynb) six layers left a cosine of 0.03 with a token's own vector,
# in pre-norm 0.36.) A change of their parameters changes all of it, and also what the next sub-layer reads. Liu et al.
# (2020) call it amplification. At 0.0002, the first rate of the warm-up, little is lost.
#
# ## Who needs warm-up?
#
# Now train: two kinds of norm, three peaks of the learning rate, with and without warm-up, three seeds. These are 36
# trainings like those of notebook 15, and take many minutes.

# %%
bet = Bet("At the highest peak, 0.01, and without warm-up: which kind fails?", ["post", "pre", "both", "none"])
bet.place(...)

# %% [markdown]
# **Nothing is trained in the next cell.** The numbers are typed in from what `python notebooks/helpers/warm_up.py`
# printed: the mean loss of the last 20 updates for the seeds 0, 1 and 2. Another processor rounds otherwise, and at 0.01
# that can change a loss by 0.1.

# %%
WITH_WARMUP = {
    ("post", 0.001): (1.24, 1.28, 1.33),
    ("post", 0.003): (0.84, 0.91, 1.05),
    ("post", 0.01): (1.15, 1.25, 1.19),
    ("pre", 0.001): (1.15, 1.26, 1.31),
    ("pre", 0.003): (0.78, 0.85, 0.83),
    ("pre", 0.01): (0.91, 0.79, 0.81),
}
WITHOUT = {
    ("post", 0.001): (1.02, 1.10, 1.21),
    ("post", 0.003): (0.93, 0.97, 0.99),
    ("post", 0.01): (2.38, 2.30, 2.07),
    ("pre", 0.001): (0.97, 1.06, 1.05),
    ("pre", 0.003): (0.77, 0.77, 0.77),
    ("pre", 0.01): (1.73, 1.06, 0.96),
}
failed = [kind for kind in ("post", "pre") if min(WITHOUT[kind, 0.01]) > 2]
bet.settle("both" if len(failed) == 2 else failed[0])

# %% tags=["hide-input"]
from helpers.warm_up import guessing_by_frequency, least_possible

figure, axes = new_figure(1, 2, width=9, height=3)
for ax, norm in zip(axes, ("post", "pre"), strict=True):
    for label, results, color, style in (
        ("with warm-up", WITH_WARMUP, main_color(), "-"),
        ("without", WITHOUT, ORANGE, "--"),
    ):
        peaks = [peak for kind, peak in results if kind == norm]
        for seed in range(3):
            ends = [results[norm, peak][seed] for peak in peaks]
            ax.plot(peaks, ends, "o" + style, color=color, label=label if seed == 0 else None)
    ax.axhline(guessing_by_frequency(), color=GREY, linewidth=1, linestyle=":", label="guessing by frequency")
    ax.axhline(least_possible(), color=GREY, linewidth=1, label="floor")
    ax.set(xscale="log", xlabel="peak of the learning rate", title=f"{norm}-norm", ylim=(0, 3.6))
axes[0].set_ylabel("loss in nats, last 20 updates")
axes[0].legend(loc="upper left", fontsize=8, ncols=2)
figure

# %% [markdown]
# At 0.01 post-norm fails without warm-up, with every seed. Pre-norm still learns there, but less than with warm-up. At
# the two lower peaks post-norm does without it too, at 0.001 even better, perhaps because no updates are spent on tiny
# steps. So warm-up is not a law: it lets you use a rate at which post-norm would otherwise fail.
#
# Measure every loss from the floor, 0.55. Pre-norm at 0.003 without warm-up ends 0.22 above it, and post-norm at its best
# about 0.4. That is for 160 updates of a small model. Liu et al. (2020) report that a post-norm model which gets through
# its start ends a little better than pre-norm.
#
# ## Two questions
#
# **1.** In pre-norm every sub-layer adds to a sum that is never normalized. What happens to its size from layer to layer,
# and so to what the last layers can contribute?
#
# <details><summary>Answer</summary>
#
# The sum grows, at the start about like the root of the number of sub-layers, while each sub-layer writes about as much
# as the first, because its input is normalized. So the share of a late layer gets smaller and smaller, and a deep
# pre-norm model is in part less deep than it looks.
#
# </details>
#
# **2.** The base model of the paper has six layers and post-norm. A friend trains it with 12 layers and the same
# warm-up, and the loss stays at that of guessing. What would you try first, and what second?
#
# <details><summary>Answer</summary>
#
# First a lower peak or a longer warm-up: a step moves the logits further the deeper a post-norm model is, so the same
# rate has become too high. If that makes the training too slow, then pre-norm, `norm="pre"` in npformer, with its last
# norm on each stack.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write both kinds of Add & Norm, forward and backward;
# - say why the size of the gradients does not explain what Adam has to do with the norm;
# - say what one step changes in each kind, and who needs warm-up.
#
# Back to the path: [notebook 16](16_one_training_step.ipynb).
