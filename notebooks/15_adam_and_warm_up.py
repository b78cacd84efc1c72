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
# # 15 Adam and warm-up
#
# **The idea:** an update answers two questions. Which way does each number go? Adam decides by sign and steadiness of
# its gradients, not by their size. How far? By a learning rate that starts small, because Adam's first step is a full
# one for every number.
#
# Paper: section 5.3. Code: `training/adam.py`, `training/schedule.py`. About 30 minutes to read and run, 45 with every
# change and question. What you need before: [notebook 14](14_the_loss.ipynb) for the loss, and post-norm and pre-norm
# from [notebook 06](06_one_encoder_layer.ipynb).

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.training import Adam, WarmupSchedule

# %% [markdown]
# ## Which way: Adam
#
# Backward gives each number $\theta$ of the model a gradient $g$. Plain gradient descent would subtract $\eta g$, with
# the same learning rate $\eta$ for all of them. But the gradients of some numbers are a thousand times those of
# others, and those of one number differ from batch to batch. What is a step for one is nothing or far too much for the
# next. Adam keeps two running means for each number: $m$ of its gradient $g$, and $v$ of the gradient's square.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# $$\theta \leftarrow \theta - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}$$
#
# Both start at 0; dividing by $1 - \beta^t$ corrects for that. Here are three numbers to learn, with a large gradient,
# a tiny one, and one that changes its sign at each update:

# %%
steps, beta1, beta2, tiny, rate = 6, 0.9, 0.98, 1e-9, 0.1
gradients = np.array([[100.0, 0.001, 5.0 * (-1) ** t] for t in range(steps)])  # change the numbers and run it again

theta = npf.Parameter(np.zeros(3))
adam = Adam([theta], learning_rate=rate, beta1=beta1, beta2=beta2, eps=tiny)
by_hand, m, v = np.zeros(3), np.zeros(3), np.zeros(3)
print("update   g = 100   g = 0.001   g = 5, -5, ...")
for t, g in enumerate(gradients, start=1):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    by_hand = by_hand - rate * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + tiny)

    theta.grad = g
    adam.step()
    print("{:6} {:9.4f} {:11.4f} {:16.4f}".format(t, *theta.data))
    assert np.allclose(theta.data, by_hand)
print("without Adam: {:.4f} {:.4f} {:.4f}".format(*0.0 - rate * gradients.sum(0)))

# %% [markdown]
# A steady gradient moves its number by the learning rate at each update, whether it is 100 or 0.001: Adam looks at
# signs and steadiness, not at size. A gradient that changes its sign moves its number much less. The last line is where
# plain gradient descent would have got to: the first number has gone a hundred thousand times as far as the second.
#
# After the first update $m/(1-\beta_1) = g$ and $v/(1-\beta_2) = g^2$, so the step is $\eta\, g/|g|$: **every number
# moves by the whole learning rate**, even one whose gradient is only noise. Later only steady gradients get full steps,
# as in the third column: 0.1 at first, then between 0.005 and 0.034. The first gradient
# alone does not tell which is which.

# %%
adam = Adam([theta], learning_rate=rate)
start = theta.data.copy()
theta.grad = [1e-4, -3.0, 700.0]  # change the numbers and run it again
adam.step()
print("first step", (theta.data - start).round(4))
assert np.allclose(theta.data - start, -rate * np.sign(theta.grad), rtol=1e-4)

# %% [markdown]
# ## Adam in a ravine
#
# What is Adam's division good for? Take a loss of two numbers that is steep in one direction and flat in the other,
# $L = \frac{1}{2}(x^2 + 100\,y^2)$: a ravine along $x$. The gradient points mostly across.

# %%
STEEP = 100.0  # change this to 1 and run the section again
slope = np.array([1.0, STEEP])  # the gradient at a point is slope * point
descent_rate = min(1.9 / STEEP, 1)  # from 2 / STEEP on it would go further up at each step

point = npf.Parameter(np.array([-4.0, 1.0]))
adam = Adam([point], learning_rate=0.2)
paths = {name: [point.data.copy()] for name in ("gradient descent", "Adam", "without correction")}
m = v = np.zeros(2)
for _ in range(60):
    here = paths["gradient descent"][-1]
    paths["gradient descent"].append(here - descent_rate * slope * here)
    g = slope * paths["without correction"][-1]
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
    paths["without correction"].append(paths["without correction"][-1] - 0.2 * m / np.sqrt(v))
    point.grad = slope * point.data
    adam.step()
    paths["Adam"].append(point.data.copy())
print("step   " + "".join(f"{name:>20}" for name in paths))
for t in (0, 1, 2, 3, 10, 30, 60):
    print(f"{t:4}   " + "".join(f"{'({:.2f}, {:.2f})'.format(*(path[t] + 0.0)):>20}" for path in paths.values()))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color

figure, axes = new_figure(1, 3, width=12, height=3)
along, across = np.meshgrid(np.linspace(-5, 3, 80), np.linspace(-1.6, 1.6, 80))
for ax, (name, path), color in zip(axes, paths.items(), (ORANGE, main_color(), GREEN), strict=True):
    levels = [0.2, 2, 8, 20, 50, 100]
    ax.contour(along, across, (along**2 + STEEP * across**2) / 2, levels=levels, colors=GREY, linewidths=0.6)
    ax.plot(*np.array(path).T, ".-", color=color, linewidth=1)
    ax.set(title=name, xlabel="x (flat)", xlim=(-5, 3), ylim=(-1.6, 1.6))
axes[0].set_ylabel("y (steep)")
assert np.allclose(paths["Adam"][10], [-2.0425, -0.4137], atol=1e-3)  # whatever STEEP is, see the text
figure

# %% [markdown]
# Gradient descent jumps from wall to wall: a rate that is safe across, below $2/100$, is slow along, and after 60 steps
# it is still at $x = -1.27$. Adam divides each direction by its own size, so its first step is equally long in both,
# and the way leads along the diagonal to the bottom. Momentum then carries it past the middle and back. Without the two
# divisions by $1 - \beta^t$ the first step is 0.14 long in place of 0.2, but soon the steps are longer, because $v$ fills
# more slowly than $m$: after 30 steps it is 0.82 past the middle, and Adam 0.48. With `STEEP` = 1 gradient descent is
# there in one step, and Adam takes *the same path as before*: it does not see how steep it is.
#
# Drive both. Raise the rate of gradient descent from 0.019 to 0.02 and to 0.021. Then lower it until the path no longer
# jumps: how far does it get in 60 steps? For Adam, set $\beta_1$ to 0 and then to 0.99: which part of Adam turns the
# path along the ravine, and which one carries it past the bottom?

# %% tags=["hide-input"]
from helpers.live_figures import live_ravine

live_ravine()

# %% [markdown]
# From 0.02 on gradient descent never comes down from the walls. At 0.01 it no longer jumps, but after 60 steps it has
# only got to $x = -2.19$. In Adam the division by $\sqrt{v}$ turns the path: it does so with $\beta_1 = 0$ too, and
# then ends at the bottom, because there is no momentum to carry it past.
#
# ## How far: warm-up
#
# So the paper keeps the first steps small (equation 3):
#
# $$\eta(t) = d_{model}^{-0.5} \cdot \min(t^{-0.5},\; t \cdot \text{warmup}^{-1.5})$$
#
# It rises in a straight line during the warm-up, then falls like $1/\sqrt{t}$: `WarmupSchedule` in npformer.

# %%
d_model, warmup = 512, 4000  # change the 4000 to 400 and run it again
for t in (1, 400, 4000, 16_000, 64_000):
    eta = d_model**-0.5 * min(t**-0.5, t * warmup**-1.5)
    print(f"update {t:6,}   learning rate {eta:.7f}")
    assert np.isclose(eta, WarmupSchedule(d_model, warmup)(t))

# %% tags=["hide-input"]
from helpers.pictures import plot_schedules

figure, ax = new_figure(height=3)
paper = WarmupSchedule(512, 4000)
plot_schedules(ax, [paper, WarmupSchedule(512, 8000), WarmupSchedule(1024, 4000)], n_steps=20_000)
assert np.isclose(paper(4000), (512 * 4000) ** -0.5)
assert np.isclose(paper(1), paper(4000) / 4000)
figure

# %% [markdown]
# ## Does it matter? Train the same model twice
#
# The model has four layers on each side, with LayerNorm after the sum (post-norm), as in the paper. The task is to
# reverse digits, as in notebook 17. Both runs have the same initial weights, the same batches and the same learning
# rate from update 50 on. Before that, one climbs to the peak and the other starts there.

# %%
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective
from npformer.text import Vocabulary
from npformer.training import Trainer

PEAK, WARMUP, UPDATES, NORM = 0.01, 50, 160, "post"  # change "post" to "pre" and run the cells up to the losses again
train, _ = sequences.split("reverse", n_train=2000, n_held_out=100, min_length=3, max_length=6)
vocabulary = Vocabulary.build(pair.source for pair in train)
pairs = [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in train]


def fresh(norm, layers=4, seed=0):
    """Return a model with this many layers on each side."""
    sizes = {"d_model": 32, "d_ff": 128, "n_encoder_layers": layers, "n_decoder_layers": layers, "dropout": 0.0}
    sizes |= {"src_vocab_size": len(vocabulary), "tgt_vocab_size": len(vocabulary)}
    return npf.Transformer(npf.TransformerConfig.tiny(norm=norm, **sizes), rng=seed)


def train_with(learning_rate):
    """Train a fresh model; return its losses, and how much its logits differ after each of ten updates."""
    model = fresh(NORM)
    adam = Adam(model.parameters(), learning_rate=learning_rate)
    batches = Batches(pairs, batch_tokens=320, seed=0)
    batch = next(batches.epoch(1).batches())
    losses, differences = [], []
    for record in Trainer(Objective(model), adam, batches).updates(100):
        losses.append(record.loss)
        if record.step <= 10:
            with model.evaluating():
                logits = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
            differences.append(logits.std((0, 1)).mean())
        if record.step == UPDATES:
            return losses, differences


warming = WarmupSchedule.with_peak(PEAK, 32, WARMUP)
with_warmup, differences = train_with(warming)
without, differences_without = train_with(lambda step: warming(max(step, WARMUP)))

# %% tags=["hide-input"]
from npformer.visualization.plots.curves import running_mean

asked = np.array([0.9 + 0.1 / len(vocabulary)] + [0.1 / len(vocabulary)] * (len(vocabulary) - 1))  # q of a token
least = -(asked * np.log(asked)).sum()  # question 1 of notebook 14

figure, (left, right) = new_figure(1, 2, width=9, height=3.2)
updates = np.arange(1, UPDATES + 1)
for label, rates, losses, look in (
    ("with warm-up", [warming(t) for t in updates], with_warmup, {"color": main_color()}),
    ("without", [warming(max(t, WARMUP)) for t in updates], without, {"color": ORANGE, "linestyle": "--"}),
):
    left.plot(updates, rates, label=label, linewidth=2, **look)
    right.plot(updates, running_mean(losses, 10), label=label, linewidth=2, **look)
left.set(xlabel="update", ylabel="learning rate", ylim=(0, 1.15 * PEAK))
right.axhline(least, color=GREY, linewidth=1, label="least possible")
right.set(xlabel="update", ylabel="loss per token (mean of 10)", ylim=(0, 3.5))
for ax in (left, right):
    ax.legend()
    ax.grid(alpha=0.3)
figure

# %%
written = [token for _, target in pairs for token in [*target, 3]]  # 3 is <eos>
often = np.bincount(written, minlength=len(vocabulary))  # (V,)
aim = 0.9 * often / often.sum() + 0.1 / len(vocabulary)  # smoothed as in notebook 14, with eps = 0.1
guessing = -(aim * np.log(aim)).sum()
end, end_without = np.mean(with_warmup[-20:]), np.mean(without[-20:])
print(f"last 20 updates: {end:.2f} with warm-up, {end_without:.2f} without")
print(f"giving each token its share in the targets, whatever the source: {guessing:.2f}")
print(f"the least that the smoothed targets allow (question 1 of notebook 14): {least:.2f}")
assert NORM == "pre" or (abs(end_without - guessing) < 0.2 and end_without > end + 0.5)

# %% [markdown]
# One of the two has hardly learned. After each of their first ten updates, how much do their logits differ between
# positions? Here is the standard deviation over all positions of a batch:

# %%
print("update          " + "".join(f"{t:6}" for t in (1, 2, 4, 7, 10)))
for name, values in (("with warm-up", differences), ("without", differences_without)):
    print(f"{name:16}" + "".join(f"{values[t - 1]:6.2f}" for t in (1, 2, 4, 7, 10)))
assert NORM == "pre" or differences_without[-1] < 0.01 < 0.1 < differences[-1]

# %% [markdown]
# The first update is far too large. After four the model without warm-up says the same at every position: what told one
# word from another is gone. From then on it learns only how often each token occurs. (In pre-norm some of it stays,
# 0.09 after ten.)
#
# Is that a law? Three peaks, post-norm and pre-norm (LayerNorm before each sub-layer), and three seeds for weights and
# batches are 36 trainings, some minutes in all. **Nothing is trained here**: the numbers are typed in from what
# `python notebooks/helpers/warm_up.py` printed on an AMD EPYC with AVX-512 and one BLAS thread, the mean loss of the last 20
# updates for seeds 0, 1 and 2. Another processor rounds otherwise; at peak 0.01 that can change a loss by 0.1.

# %% tags=["hide-input"]
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
print("norm   peak     with warm-up        without")
for (norm, peak), losses in WITH_WARMUP.items():
    columns = ("  ".join(f"{loss:.2f}" for loss in row) for row in (losses, WITHOUT[norm, peak]))
    print(f"{norm:5}  {peak:<6}  ", "    ".join(columns))

# %% tags=["hide-input"]
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
    ax.set(xscale="log", xlabel="peak learning rate", title=f"{norm}-norm", ylim=(0, 2.6))
    ax.axhline(guessing, color=GREY, linewidth=1, linestyle=":", label="guessing by frequency")
    ax.axhline(least, color=GREY, linewidth=1, label="least possible")
axes[0].set_ylabel("loss of the last 20 updates")
axes[0].legend()
assert abs(end - WITH_WARMUP[NORM, PEAK][0]) < 0.2
figure

# %% [markdown]
# At the two lower peaks post-norm learns without warm-up too, at 0.001 even better, perhaps because no updates are
# spent on tiny steps. At 0.01 it fails without warm-up, on every seed; pre-norm still learns there, but less than with
# warm-up. So warm-up is not a law: **it lets you use a rate at which post-norm would otherwise fail**. Whether the
# higher rate is worth it is another question: here post-norm does best at 0.003. (Read a loss from 0.55 up: pre-norm at
# 0.003 without warm-up is 0.22 above the least possible, post-norm about twice that.)
#
# ## Why post-norm? One step
#
# Is it that post-norm has larger gradients in its upper layers? Adam divides the size away. So give both kinds of model one
# step of the same size, every number by 0.01, and measure how far the logits move, with the signs of Adam's first step
# and with random ones.

# %%
RATE = 0.01  # change this to 0.0002, where the warm-up starts, and run it again


def one_step(norm, layers, seed, random_signs):
    """Return how far a step moves the logits, as a share of their size, and how much of their differences is left."""
    model = fresh(norm, layers, seed)
    adam, objective = Adam(model.parameters(), RATE), Objective(model)
    batch = next(Batches(pairs, batch_tokens=320, seed=seed).epoch(1).batches())
    objective.forward(batch, batch.n_tokens)
    objective.backward()
    if random_signs:
        adam.grad[:] = np.random.default_rng(seed).choice([-1, 1], size=adam.grad.size)
    with model.evaluating():
        before = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
        adam.step()
        after = model.forward(batch.src, batch.tgt_in)
    left = after.std((0, 1)).mean() / before.std((0, 1)).mean()
    return np.linalg.norm(after - before) / np.linalg.norm(before), left


moved, left = {}, {}
print("three seeds        Adam's step: moved   differences left   random signs: moved")
for norm in ("post", "pre"):
    for layers in (1, 4):
        adams, left[norm, layers] = np.array([one_step(norm, layers, seed, False) for seed in range(3)]).T
        randoms, _ = np.array([one_step(norm, layers, seed, True) for seed in range(3)]).T
        moved[norm, layers] = adams, randoms
        columns = [" ".join(f"{x:.2f}" for x in row) for row in (adams, left[norm, layers], randoms)]
        print("{:5} {} + {} layers {:>24} {:>18} {:>21}".format(norm, layers, layers, *columns))

# %% tags=["hide-input"]
for which in (0, 1):
    for layers in (1, 4):
        assert moved["post", layers][which].mean() > 1.15 * moved["pre", layers][which].mean()
assert RATE != 0.01 or left["post", 4].mean() < 0.7 * left["pre", 4].mean()

# %% [markdown]
# With four layers Adam's step moves the logits of post-norm by one and a half to two times their own size, those of
# pre-norm by 1.2 to 1.5, and of the differences between positions it leaves 10 to 18% against 28 to 32%. (The first
# update of the failed training is the first of these.) It is not only Adam's direction: random signs, too, move
# post-norm about twice as far. And it grows with depth: with one layer the two kinds are nearer.
#
# The likely reason: in post-norm each LayerNorm scales down what came from below, and the top consists of what the
# sub-layers wrote (in notebook 14, six layers left 0.03 of a token's own vector, in pre-norm 0.36). A change of their
# weights changes all of it, and also what the next sub-layer reads. Liu et al. (2020) call it amplification. At 0.0002,
# the first rate of the warm-up, Adam's step moves post-norm by only 0.2 to 0.3, and nearly all differences are left.
#
# ## Questions
#
# **1.** Multiply the loss by 1000. What changes in Adam's updates? What would change in plain gradient descent?
#
# <details><summary>Answer</summary>
#
# In Adam almost nothing: $m$ and $\sqrt v$ both grow by 1000 and cancel, except for the tiny $\epsilon$. Plain gradient
# descent would take steps a thousand times as long.
#
# </details>
#
# **2.** Leave out the two divisions by $1 - \beta^t$. How long is the first step of a number with a steady gradient,
# and how long is the tenth?
#
# <details><summary>Answer</summary>
#
# With $g$ always the same, $m = (1 - \beta_1^t)\, g$ and $v = (1 - \beta_2^t)\, g^2$, so the step is
# $\eta\, (1 - \beta_1^t) / \sqrt{1 - \beta_2^t}$: the first is $0.1 / \sqrt{0.02} = 0.71$ times the learning rate and
# the tenth $0.65 / \sqrt{0.18} = 1.52$ times. $v$ remembers longer than $m$, so it is too small for longer. After 200
# updates the factor is 1.01. With the usual $\beta_2 = 0.999$ the harm is greater: 3.16 at the first, 6.53 at the tenth
# and still 3.24 at the hundredth.
#
# </details>
#
# **3.** Warm-up counts updates. What goes wrong if a program counts one step for each array of the model?
#
# <details><summary>Answer</summary>
#
# The model of one layer on each side has 43 arrays, 42 of them in its layers; the base model of six has
# $1 + 6 \cdot 42 = 253$. Warm-up would be over after 16 updates instead of 4000, and the rate would then fall far too
# soon. The loss still goes down at first, so nobody notices.
#
# </details>
#
# ---
#
# Next: [notebook 16](16_one_training_step.ipynb), where one training step shows its numbers.
#
# Write it yourself: exercises adam_by_hand, adam, warmup. `npformer course start my-course` begins the course.
