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
# *Part II, Learn it. Before: [14](14_the_loss.ipynb). Next: [16](16_one_training_step.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Backward gives every number of a model a gradient: which way is down. It does not say how far to go. With one learning
# rate for all numbers a step is far too long for some and nothing for others, and the loss explodes or stands still.
#
# **After this you can** say why no single learning rate fits; write Adam, first for one number, then for a model; say
# what warm-up protects, and write its formula.
#
# Paper: section 5.3. About 45 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.live_figures import live_ravine
from helpers.pictures import show_arrays
from helpers.schematics import adam
from npformer_course import Bet, exercise

adam()

# %% [markdown]
# ## A ravine
#
# Take a loss of two numbers, $L = \frac{1}{2}(x^2 + 100\,y^2)$. It is a ravine: steep across, along $y$, and flat along
# its bottom, $x$. The gradient is $(x, 100 y)$, so it points mostly across, and hardly to the minimum at $(0, 0)$.
#
# For now move only the first slider, the rate $\eta$ of gradient descent. Raise it to 0.02 and to 0.021. Then lower it
# until the path no longer jumps from wall to wall. How far does it get in 60 steps?

# %% tags=["hide-input"]
live_ravine()

# %% [markdown]
# From 0.02 on $y$ never shrinks: a step multiplies $y$ by $1 - 100 \eta$, which is then -1 or less. At 0.01 it does not
# jump any more, but a step multiplies $x$ by 0.99, and after 60 steps $x$ has only come from -4 to -2.19. The steep
# direction limits the rate, and the flat one pays for it.
#
# Two directions are a toy. The translator has 286,272. Here are the sizes of their gradients, for the sentence:

# %%
from helpers.course_sentence import CourseSentence
from helpers.pictures import show_sizes
from npformer.tasks import Objective

sentence = CourseSentence()
objective = Objective(sentence.model)
sentence.model.train()  # so that it can go backward
objective.forward(sentence.batch, sentence.batch.n_tokens)
objective.backward()
parameters = [parameter.data for parameter in sentence.model.parameters()]  # 85 arrays
gradients = [parameter.grad for parameter in sentence.model.parameters()]
show_sizes(sentence.model, gradients=gradients)

# %% [markdown]
# The largest is 0.08. The median is 300 times smaller, and one in a hundred is 60,000 times smaller. The orange group
# at the far left has 1e-10; you will meet it again.
#
# ## Adam, for one number
#
# In 2014 Diederik Kingma and Jimmy Ba proposed to give each number a step of its own. Keep two running means over its
# gradients: $m$ of $g$, and $v$ of $g^2$. So $\sqrt v$ is the usual *size* of the gradient, and $m$ is what is left of it when
# opposite signs have canceled. Divide one by the other, and the size cancels:
#
# $$\theta \leftarrow \theta - \eta\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# A **running mean** takes in one number at a time: $m \leftarrow \beta\, m + (1 - \beta)\, g$. With $\beta = 0.9$ an old
# gradient counts a tenth less after each update.
#
# It starts at 0, and that makes it too small at first: after one update $m = 0.1\, g$. In general the weights of the $t$
# gradients so far are $(1 - \beta)(1 + \beta + \dots + \beta^{t-1})$ in sum. Work this sum out, and divide by it: that is
# the hat, the **corrected** mean.
#
# **Write both.**


# %%
def running_mean(mean, new, beta):
    """Return the running mean after it has taken in a new number."""
    raise NotImplementedError


def corrected(mean, beta, t):
    """Return the running mean with its bias corrected; it has taken in t numbers, 1 or more."""
    raise NotImplementedError


# %%
running_mean, corrected = exercise("adam_by_hand").check(running_mean, corrected)

# %% [markdown]
# **Write an update** of one number. $m$ has $\beta_1 = 0.9$, and $v$ has $\beta_2 = 0.98$, so it remembers for longer.
# What is kept for the next update is $m$ and $v$, without hats. $\varepsilon$ guards against a division by 0, and is
# added after the root.


# %%
def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return theta, m and v of a single number after update number t, in this order.

    theta: the number. g: its gradient. m, v: what the update before has left, 0 before the first.
    lr: the learning rate.
    """
    raise NotImplementedError


# %%
move_one_number = exercise("adam_by_hand").check(move_one_number)

# %% [markdown]
# Three numbers start at 0, as in the picture at the top. The first has a large gradient, the second a tiny one, and that
# of the third changes its sign each time. Six updates by your function, with $\eta = 0.1$:

# %%
series = {"100, 100, ...": [100.0] * 6, "0.001, 0.001, ...": [0.001] * 6, "5, -5, ...": [5.0, -5.0] * 3}
thetas = np.zeros((3, 7))
for i, gs in enumerate(series.values()):
    theta = m = v = 0.0
    for t, g in enumerate(gs, 1):
        theta, m, v = move_one_number(theta, g, m, v, t, lr=0.1)
        thetas[i, t] = theta
show_arrays(theta=thetas, rows=list(series), columns=[f"t = {t}" for t in range(7)], decimals=3)

# %% [markdown]
# The first two go the same way, one learning rate per update, though one gradient is 100,000 times the other. The third
# takes a full step at first, and then much shorter ones, back and forth.
#
# Back to the ravine, and now move the sliders of Adam. Set $\beta_1$ to 0 and then to 0.99. Which part of Adam turns the
# path along the ravine, and which one carries it past the bottom?
#
# Then bet. The ravine becomes 100 times as steep across, $L = \frac{1}{2}(x^2 + 10000\,y^2)$. Gradient descent now
# needs a hundredth of the rate.

# %%
bet = Bet("By what must Adam's rate be divided, to come down as well as before?", ["100", "10", "1"])
bet.place(...)


# %%
def way_down(slope, start, n_steps=60, lr=0.2):
    """Return the places of one number whose gradient is slope times the number (n_steps + 1,)."""
    places = [start]
    m = v = 0.0
    for t in range(1, n_steps + 1):
        theta, m, v = move_one_number(places[-1], slope * places[-1], m, v, t, lr)
        places.append(theta)
    return np.array(places)


across = {slope: way_down(slope, start=1.0) for slope in (100, 10_000)}

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

bet.settle("1" if np.allclose(across[100], across[10_000], atol=0.01) else "100")
figure, ax = new_figure(width=7, height=2.6)
ax.plot(across[100], "-", color=main_color(), linewidth=5, alpha=0.4, label="slope 100")
ax.plot(across[10_000], "--", color=ORANGE, linewidth=1.5, label="slope 10,000")
ax.axhline(0, color=GREY, linewidth=0.6)
ax.set(xlabel="update", ylabel="y")
ax.legend()
figure

# %% [markdown]
# It is the *same* path. A gradient that is 100 times as large has an $m$ and a $\sqrt v$ that are 100 times as large. **Adam
# looks at sign and steadiness, not at size.** (In the live figure the division by $\sqrt v$ turns the path; it does so with
# $\beta_1 = 0$ too. $\beta_1$ is momentum: it carries the path past the bottom.)
#
# ## Adam, for a model
#
# Adam never mixes two numbers, so its formulas hold for arrays entry by entry. New is the *state* from one update to the
# next: $m$ and $v$ for every array, and one $t$ for the whole model.
#
# **Write it.** `move_one_number` may be of use: does yours also work if all that it gets are arrays?


# %%
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return the parameters and the state after one update.

    parameters, gradients: two lists of arrays, of the same shapes in the same order. state: a dict
    with lists "m" and "v" of arrays of these shapes, and "t", how many updates have been made. lr:
    the learning rate, eta above. Returns (list of new parameters, new state).
    """
    raise NotImplementedError


# %%
adam_step = exercise("adam").check(adam_step)

# %% [markdown]
# Now the first update of the translator, with the gradients from above. The lower picture shows how far each of its
# numbers moves. The learning rate is dashed.

# %%
zeros = [np.zeros_like(array) for array in parameters]
state = {"m": zeros, "v": zeros, "t": 0}
lr = 0.001
steps, state = adam_step(zeros, gradients, state, lr)  # from 0, so that the steps come out
show_sizes(sentence.model, gradients=gradients, steps=steps, mark=lr)

# %% [markdown]
# Nearly all blue gradients end up in one bar. At the first update $\hat m = g$ and $\hat v = g^2$, so the step is
# $\eta\, g / |g|$: **nearly every number that has a gradient moves by the whole learning rate**.
#
# Even noise becomes a step. A bias of the keys adds the same number to all scores of a query, which softmax does not see.
# So its true gradient is exactly 0, and 1e-10 is rounding. Adam makes steps of about 0.0001 of it, and only
# $\varepsilon = 10^{-9}$ keeps them from being full ones. One batch cannot tell noise from gradient.
#
# ## Warm-up: how far?
#
# So Adam is boldest when it knows least. The paper therefore lets the rate rise in a straight line, for `warmup_steps`
# updates, and fall like $1/\sqrt{step}$ afterwards (equation 3):
#
# $$\eta(step) = d_{model}^{-0.5} \cdot \min(step^{-0.5},\; step \cdot warmup\_steps^{-1.5})$$
#
# **Write it**, such that `step` may be a number or an array.


# %%
def learning_rate(step, d_model, warmup_steps):
    """Return the learning rate of an update.

    step: a whole number from 1, or an array (N,) of them. d_model, warmup_steps: whole numbers from
    1. Returns one number for a number, an array (N,) for an array.
    """
    raise NotImplementedError


# %%
learning_rate = exercise("warmup").check(learning_rate)

# %%
updates = np.arange(1, 20_001)
rates = {
    "paper: 512 features, 4,000 steps": learning_rate(updates, 512, 4000),
    "8,000 steps": learning_rate(updates, 512, 8000),
    "1,024 features": learning_rate(updates, 1024, 4000),
}

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2.8)
looks = [{"color": main_color()}, {"color": ORANGE, "linestyle": "--"}, {"color": GREY, "linestyle": ":"}]
for (name, rate), look in zip(rates.items(), looks, strict=True):
    ax.plot(updates, rate, label=name, linewidth=2, **look)
ax.set(xlabel="update", ylabel="learning rate", ylim=(0, 8e-4))
ax.legend()
figure

# %% [markdown]
# Does it matter? Train the same model twice. It has four layers on each side and learns to reverse digits, as in
# [notebook 17](17_train_it.ipynb). Both runs have the same initial parameters, batches and rates from update 50 on.
# Before that, the first climbs to the peak, while the second starts there. (npformer's `Adam` does the updates, with
# your rates.)

# %%
from helpers.warm_up import train

factor = 0.01 / learning_rate(50, 32, 50)  # so that the highest rate is 0.01; then try 0.003


def with_warmup(step):
    return factor * learning_rate(step, 32, 50)


def without(step):
    return with_warmup(max(step, 50))


runs = {"with warm-up": train(with_warmup), "without": train(without)}

# %% tags=["hide-input"]
from helpers.warm_up import guessing_by_frequency, least_possible
from npformer.visualization.plots.curves import running_mean as smoothed

figure, (left, right) = new_figure(1, 2, width=9, height=3.2)
for (name, (losses, differences)), look in zip(
    runs.items(), ({"color": main_color()}, {"color": ORANGE, "linestyle": "--"}), strict=True
):
    left.plot(range(1, 161), smoothed(losses, 10), label=name, linewidth=2, **look)
    right.plot(range(1, 11), differences, label=name, linewidth=2, marker=".", **look)
left.axhline(guessing_by_frequency(), color=GREY, linewidth=1, linestyle=":", label="guessing by frequency")
left.axhline(least_possible(), color=GREY, linewidth=1, label="floor")
left.set(xlabel="update", ylabel="loss in nats (mean of 10)", ylim=(0, 4.2))
left.legend(fontsize=8, ncols=2, loc="upper right")
right.set(xlabel="update", ylabel="differences of logits", yscale="log")
right.legend(fontsize=8)
figure

# %% [markdown]
# Without warm-up the model stays at the loss of one that knows only how often each digit occurs. The right picture shows
# when it happened: how much do logits differ between the positions of a batch? After four updates, hardly at all. The
# model says the same everywhere, and what told one digit from another is gone. The first steps, full ones for every
# number, were too long.
#
# Warm-up is not a law. With a peak of 0.001 or 0.003 this model learns without it too. What it gives you is a rate at
# which the training would otherwise fail. And where LayerNorm is placed matters more: [15b](15b_pre_and_post_norm.ipynb).
#
# ## Two questions
#
# **1.** Multiply the loss by 1000. What changes in gradient descent, and what in Adam?
#
# <details><summary>Answer</summary>
#
# Gradient descent takes steps a thousand times as long. In Adam almost nothing changes: $m$ and $\sqrt v$ both grow by
# 1000 and cancel, except for the tiny $\varepsilon$. The biases of keys now take full steps, because their noise has
# become large against $\varepsilon$.
#
# </details>
#
# **2.** Leave out both corrections. How long is the first step of a number with a steady gradient, and how long the
# tenth?
#
# <details><summary>Answer</summary>
#
# With $g$ always the same, $m = (1 - \beta_1^t)\, g$ and $v = (1 - \beta_2^t)\, g^2$, so the step is
# $\eta\, (1 - \beta_1^t) / \sqrt{1 - \beta_2^t}$. The first is $0.1 / \sqrt{0.02} = 0.71$ times the learning rate, and
# the tenth is $0.65 / \sqrt{0.18} = 1.52$ times: $v$ remembers for longer, so it is too small for longer. With the usual
# $\beta_2 = 0.999$ it would be 3.16 and 6.53 times.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say why one learning rate for all numbers is limited by the steepest direction;
# - write Adam, with its corrections, for one number and for a model;
# - say why Adam's first steps are too bold, and give every update its rate.
#
# Next: [notebook 16](16_one_training_step.ipynb), where loss, backward and Adam are one training step.
# Detour: [15b](15b_pre_and_post_norm.ipynb), why the place of LayerNorm decides how much warm-up you need.
