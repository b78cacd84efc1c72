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
# *Part II, Learn it. Before: [15](15_adam_and_warm_up.ipynb). Next: [17](17_train_it.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Forward, loss, backward, Adam: you have them all. A training joins them in eight lines and repeats these ten thousand
# times. Several of the eight can be forgotten without any error message, and the loss still falls. You will leave out
# three of them.
#
# **After this you can** write the step that trains any model; say what each of its lines is for by what happens without
# it; find any number of a step in the step debugger.
#
# Paper: section 5. About 40 minutes with its writing.

# %%
# %matplotlib inline
import math  # noqa: F401, for what you write

import numpy as np

from helpers import one_step, schematics
from helpers.compare import compare
from helpers.one_step import cross_entropy  # noqa: F401, for what you write
from helpers.pictures import StepFrame, show_arrays
from npformer_course import Bet, exercise

schematics.training_step()

# %% [markdown]
# ## Eight lines
#
# A step gets ids (B, T + 1): sentences such as `<bos> Der Hund schläft <eos>`, perhaps with padding after them. The model
# reads all but the last column, and must predict all but the first. These are your tools:
#
# | | |
# |---|---|
# | `model.forward(ids)` | logits (B, T, V) for the ids (B, T) that it reads |
# | `model.backward(dlogits)` | *adds* to `p.grad` of each parameter `p`; returns nothing |
# | `model.parameters()` | the parameters, each with `p.data` and `p.grad` |
# | `model.zero_grad()` | sets all `p.grad` to 0. Nobody else does |
# | `cross_entropy(logits, targets)` | the loss and dlogits, as in notebook 14, without smoothing; padding is left out |
# | `optimizer.step(lr)` | one update by Adam with what `p.grad` holds at that moment |
#
# The loop of the picture lacks two things. One is `zero_grad`. The other: now and then a batch has an enormous gradient, a
# text in another language or a line of garbage. So before the update the gradient is **clipped** (Pascanu et al. 2013).
# All gradients together are one long vector $g$, and if its norm is above a limit $c$, it is scaled down to it. All its
# entries get the same factor, so its direction stays.
#
# $$\|g\| = \sqrt{\sum_{\text{parameters}} \sum_i g_i^2}, \qquad
#   g \leftarrow \frac{c}{\|g\|}\, g \quad \text{if } \|g\| > c$$
#
# Eight lines will do, one for each of these, though not in this order: take the gradients' norm, go backward, update, let
# the model predict, clear the old gradients, scale, return the loss, compute it.
#
# **Write them.** Which must come first?


# %%
def training_step(model, optimizer, ids, max_norm, lr):
    """Train the model on one batch: one update.

    Returns the batch's loss before the update, one number. model: a TinyModel. optimizer: an Adam
    for its parameters. ids (B, T + 1): sentences with <bos> and <eos>, then padding; ids itself is
    not changed. max_norm: the limit c of the gradient's norm. lr: the learning rate.
    """
    raise NotImplementedError


# %%
training_step = exercise("training_step").check(training_step)

# %% [markdown]
# The check uses a very small model. Your function does not know that: any model with these four methods will do, so it
# can train the translator that ships. One step, on our sentence:

# %%
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
src, ids = one_step.batch_of_sentence(sentence)
model = one_step.Translation(sentence.model, src)  # forward(ids) also reads src
optimizer = one_step.Adam(model.parameters())

before = one_step.probabilities_of_right(model, ids)  # (10,)
loss = training_step(model, optimizer, ids, max_norm=1.0, lr=0.0003)  # change lr to 0.001, then to 0.003
after = one_step.probabilities_of_right(model, ids)

# %%
compare(loss, 0.128, "loss before the step")
compare(-np.log(after).mean(), 0.0717, "loss after it", tolerance=0.05)
show_arrays(p=np.array([before, after]), rows=["before", "after"], columns=sentence.target_tokens)

# %% [markdown]
# All ten words have gained. With `lr=0.001` nine of them gain more, and *das* falls from 0.93 to 0.40. With 0.003 the
# translator writes *Ich schalte jeden Tag jeden Tag jeden Tag das neue Radio aus.* A gradient says which way is down from
# where you stand, and nothing of how far this goes on. Nearly all of the 286,272 parameters moved by the whole rate, up
# or down, as in each first step of Adam (notebook 15). Only 0.6 % have no gradient and stayed.
#
# ## Leave one out
#
# Now a model that knows nothing: random parameters, one layer on each side, and the task of notebook 17, to write digits
# in reverse order. The first test of any new model is to take the same batch again and again. It must learn this by
# heart, and without smoothing the floor is 0.


# %%
def train(batches, without="", d_model=8, n_digits=4, max_norm=1.0):
    """Take one step per batch; return the losses."""
    model = one_step.Translation(one_step.small_translator(d_model, n_digits))
    optimizer = one_step.Adam(model.parameters())
    if without == "zero_grad":
        model.zero_grad = lambda: None
    if without == "step":
        optimizer.step = lambda lr: None

    losses = []
    for src, ids in batches:
        model.src = src
        losses.append(training_step(model, optimizer, ids, max_norm, lr=0.005))
    return losses


# %% [markdown]
# Without `step` nothing is learned, and the curve says so. Without `zero_grad` each new gradient is added to what
# `p.grad` still holds. Does this test find that, and does it matter whether the step clips?

# %%
bet = Bet(
    "One batch, no zero_grad. With which gradients does the loss still go to 0?",
    ["clipped", "not clipped", "both"],
)
bet.place(...)

# %%
one_batch = [one_step.REVERSED] * 150
same = {name: train(one_batch, name) for name in ("", "zero_grad", "step")}
never = 1e9  # a limit that is not reached
same["zero_grad and clipping"] = train(one_batch, "zero_grad", max_norm=never)
ends = {"clipped": same["zero_grad"][-1], "not clipped": same["zero_grad and clipping"][-1]}
at_0 = [name for name, loss in ends.items() if loss < 0.1]
bet.settle("both" if len(at_0) == 2 else at_0[0])

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, PINK, main_color
from npformer.visualization.plots.curves import running_mean

LOOKS = {
    "": (main_color(), "-"),
    "zero_grad": (ORANGE, "--"),
    "zero_grad and clipping": (PINK, "-."),
    "step": (GREY, ":"),
}


def draw_losses(ax, curves, n_mean=1):
    """Draw losses by name of what was left out, each a list of curves."""
    for name, several in curves.items():
        label = f"without {name}" if name else "all eight lines"
        color, style = LOOKS[name]
        for i, losses in enumerate(several):
            ax.plot(running_mean(losses, n_mean), style, color=color, linewidth=2, label=None if i else label)
    ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, 4.4))
    ax.legend(ncols=2, loc="upper right")


figure, ax = new_figure(width=7, height=2.8)
draw_losses(ax, {name: [losses] for name, losses in same.items()})
figure

# %% [markdown]
# With clipping the curve without `zero_grad` arrives like the right one. Clipping writes into `p.grad`: at each update it
# cuts the old sum back to the norm 1, so the old gradients fade. Without clipping every gradient weighs the same for
# ever, what the first random parameters asked for too, and the loss wanders between 1.3 and 2.2. One safeguard has hidden
# another bug.
#
# A real training clips, and has another batch each time. Two seeds:

# %%
other = {}
for name in ("", "zero_grad"):
    other[name] = [train(one_step.reversed_digits(seed, 300), name, 32, 10) for seed in range(2)]

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2.8)
draw_losses(ax, other, n_mean=10)
ax.set(xlabel="update, each with another batch", ylabel="loss (mean of 10)")
figure

# %% [markdown]
# There it shows, if you have the curve of all eight lines next to it: a share of what the last batches asked for is in
# every gradient. By themselves the dashed curves look like a model that is slow, or too small. That is why a loss is read
# from its floor, and why notebook 18 tests instead of looking.
#
# And clipping? Let update 20 be a broken batch: other targets, and a gradient that is 1000 times too large.


# %%
def train_with_broken_batch(max_norm, broken=one_step.NOT_REVERSED, scale=1000):
    """Take 150 steps on one batch, but for update 20; return the losses."""
    model = one_step.Translation(one_step.small_translator())
    optimizer = one_step.Adam(model.parameters())
    losses = []
    for update in range(150):
        is_broken = update == 20
        model.src, ids = broken if is_broken else one_step.REVERSED
        model.scale = scale if is_broken else 1
        losses.append(training_step(model, optimizer, ids, max_norm, lr=0.005))
    return losses


broken = {
    "nothing broken": train_with_broken_batch(never, broken=one_step.REVERSED, scale=1),
    "wrong and too large": train_with_broken_batch(never),
    "only too large": train_with_broken_batch(never, broken=one_step.REVERSED),
    "only wrong": train_with_broken_batch(never, scale=1),
    "wrong and too large, clipped at 1": train_with_broken_batch(1.0),
}

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3.2)
looks = ((GREY, ":"), (ORANGE, "-"), (PINK, "--"), (GREY, "-"), (main_color(), "-"))
for (name, losses), (color, style) in zip(broken.items(), looks, strict=True):
    ax.plot(losses, style, color=color, linewidth=2, label=name)
ax.annotate("update 20", (20, 1.9), (20, 2.9), ha="center", arrowprops={"arrowstyle": "->", "color": GREY})
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
figure

# %% [markdown]
# (At update 20 the loss of a wrong batch is that on its other targets.) A wrong batch of ordinary size sets the training
# back by a few updates at most. **Size** is what lasts. In the broken update itself Adam divides it away. But $m$ keeps
# the enormous gradient for a while, so the next updates coast on in the same direction, by five learning rates in all.
# And its square stays in $v$ for hundreds of updates ($0.98^{100} = 0.13$): every good gradient is divided by it, and the
# training nearly stands still. **Direction** decides where it coasts: with the right targets still downhill, with the
# wrong ones up. The clipped training need not know what was broken. (It is ahead even before update 20: some of its first
# gradients were clipped, which leaves a smaller $v$.)
#
# ## A treasure hunt
#
# Behind your eight lines a thousand lines of npformer run. The step debugger has recorded them, with every array that
# they make, for one update of the small model: `4 5 6` is to become `6 5 4`, with label smoothing and Adam's rate 0.01.
# The arrow keys go line by line (down: over a call). Words in the search field find an array, such as `table.grad` or
# `decoder.layers.0.self_attention dscores`, and Enter goes to the next place that has it. (GitHub cannot show the
# debugger: run the notebook.)

# %%
import npformer as npf

small = one_step.small_translator()
batch = npf.tasks.TranslationBatch.of([[4, 5, 6]], [[6, 5, 4]])
adam = npf.training.Adam(small.parameters(), learning_rate=0.01)
recording = npf.step_through(npf.tasks.Objective(small), batch, adam)
StepFrame(recording, "table.grad")

# %% [markdown]
# **Find** five things. You find them only in the debugger above.
#
# 1. `table.grad` gets gradients at three places. Which ids have rows that change at all three?
# 2. At position 0 the right token is 6. Which wrong token is pushed down most? (`loss dlogits`, at its last place. Its rows
#    carry the token that the decoder has read: position 0 is the row of `<bos>`, 2)
# 3. How many of the 32 numbers of `dscores` in the decoder's self-attention are 0? (Both heads. Ask yourself why before
#    you count.)
# 4. Which of the 16 hidden features of the encoder's feed-forward network are 0 at all four positions? (`encoder activation y`)
# 5. The gradients of `table[5, 0]` and `table[5, 4]` are -1.01 and 0.008. By how much does Adam change these two numbers?
#    (`Adam` in the search field; a parameter has its new values there)

# %%
tokens = ...  # 1: three ids
wrong = ...  # 2: an id
n_zero = ...  # 3: a number
dead = ...  # 4: three features, counted from 0
changes = ...  # 5: two numbers, after minus before

# %%
tokens = one_step.HUNT.check(tokens=tokens)
wrong = one_step.HUNT.check(wrong=wrong)
n_zero = one_step.HUNT.check(n_zero=n_zero)
dead = one_step.HUNT.check(dead=dead)
changes = one_step.HUNT.check(changes=changes)

# %% [markdown]
# While you are there: the bias of the keys gets no gradient but rounding, about $10^{-9}$, because softmax does not see
# what is added to all scores of a query. Look up what Adam does to it: some of its entries move by nearly the whole rate
# of 0.01, for a gradient of rounding.
#
# ## Three questions
#
# **1.** You want batches of 4096 tokens, and the memory is enough for 1024. Which of the eight lines do you repeat?
#
# <details><summary>Answer</summary>
#
# Forward, loss and backward run four times; clearing comes once before them, clipping and the update once after. `grad`
# adds up by itself, which is why nobody empties it for you. Each loss has to be divided by the number of tokens of all
# four, not of its own. In npformer's `Trainer` that is `accumulate=4`.
#
# </details>
#
# **2.** Somebody clips before `backward`. What happens, and who notices?
#
# <details><summary>Answer</summary>
#
# All gradients are 0 at that point, so nothing is ever clipped. Nobody notices until the enormous gradient comes. Log
# the norm: it would always be 0.
#
# </details>
#
# **3.** In the hunt three features were dead. What do they have in common with the first row of `dscores`, and are they
# dead for good?
#
# <details><summary>Answer</summary>
#
# In both places a small change does not change the loss. A ReLU below 0 gives 0 whatever its input does, and the first
# query sees only itself, with weight 1 whatever its score is. So their parameters learn nothing from this sentence. The
# first row will never have a gradient. The features may: another sentence can push them above 0.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write the step that trains any model;
# - tell what `zero_grad`, clipping and the order of the lines are for, and which tests do not notice their absence;
# - look up any number of a step, forward, backward and update.
#
# Next: [notebook 17](17_train_it.ipynb), a thousand such steps, through your own layers.
