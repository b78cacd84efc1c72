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
# # 18 Debugging a training
#
# *Part II, Learn it. Before: [17](17_train_it.ipynb). Next: [18c](18c_checkpoint_2.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A bug in a network seldom raises an error, and the loss often falls all the same. You can train for a night and
# wonder. Or you can first ask four questions that take seconds each.
#
# **After this you can** read the first loss, overfit one batch, change one token and see who noticed, and look into the
# attentions layer by layer.
#
# Paper: section 5. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.expected import Expected
from helpers.pictures import show_arrays
from helpers.schematics import cases
from helpers.suspects import suspect_batches, suspect_model, train
from npformer_course import Bet

cases()

# %% [markdown]
# The cases below have no translator in them, only small models that reverse three to six digits: they train in
# seconds, and you know every right answer. Digit $n$ has the id $4 + n$, so there are $V = 14$ tokens. `train` has the
# lines of notebook 16, without dropout or label smoothing: the floor of the loss is 0.
#
# Four trainings, of 120 updates each, on the same digits with the same settings. Every backward is correct.

# %%
losses = {}
trained = {}
for suspect in "ABCD":
    trained[suspect] = suspect_model(suspect)
    losses[suspect] = train(trained[suspect], suspect_batches(suspect, 120))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, ink, main_color
from npformer.visualization.plots.curves import running_mean

LOSS = {"xlabel": "update", "ylabel": "loss per token (nats)"}
figure, ax = new_figure(width=7.5, height=3.4)
styles = {"A": (ORANGE, "-"), "B": (main_color(), "--"), "C": (GREEN, "-."), "D": (ink(), ":")}
for suspect, (color, dash) in styles.items():
    curve = running_mean(losses[suspect], 5)
    ax.plot(curve, dash, color=color, linewidth=2, label=suspect)
ax.set(**LOSS, ylim=(0, None))
ax.legend(loc="upper right")
figure

# %%
bet = Bet("Four trainings. Which one has no bug?", ["A", "B", "C", "D"])
bet.place(...)

# %% [markdown]
# ## Case 1: the steep start
#
# **Clue.** A falls from 9 to 2 in twenty updates. Impressive.
#
# **Suspects.** The data, the learning rate, the numbers that the model starts with.
#
# **Test.** Read the *first* loss. An untrained model knows nothing, so it should give all $V$ tokens about the same
# probability. **Write it**: the loss of a model that gives each of 14 tokens exactly the same probability. The loss is
# $-\ln p$ of the right token.

# %% tags=["hide-input"]
from helpers.suspects import loss_of_a_guess

expected = Expected(knows_nothing=loss_of_a_guess())

# %%
knows_nothing = ...  # one number
knows_nothing = expected.check(knows_nothing=knows_nothing)

# %% tags=["hide-input"]
figure, ax = new_figure(width=6, height=2.4)
firsts = [losses[suspect][0] for suspect in "ABCD"]
ax.barh(list("ABCD"), firsts, color=[styles[suspect][0] for suspect in "ABCD"])
for place, first in enumerate(firsts):
    ax.annotate(f" {first:.2f}", (first, place), va="center", fontsize=9)
ax.axvline(float(knows_nothing), color=GREY, linewidth=1.5)
ax.invert_yaxis()
ax.set(xlabel="first loss; the line: a model that knows nothing", xlim=(0, 11))
figure

# %% [markdown]
# **Culprit.** A is not ignorant, it is sure of nonsense. Its logits are too large: the generator's table starts with
# numbers of size 1, not $1/\sqrt{d_{model}}$. Logits with variance $\sigma^2$ add about $\sigma^2/2$ to the first loss,
# for small $\sigma$. (A's $\sigma^2$ is near 32, which is not small: it adds 6.6.) The steep fall only undoes the
# start.
#
# Much above $\ln V$: something is too large. Much below: the model knows what it should not know, or the mean is over
# too many tokens. (Where input and output share one table, as in the translator, the first loss is higher without any
# bug: [notebook 14b](14b_where_the_loss_starts.ipynb). Do this test with `tie_embeddings="none"`.)
#
# ## Case 2: the plateau
#
# **Clue.** D learns something at first, and then nothing more. Its first loss is right.
#
# **Suspects.** A model that is too small, a learning rate that does not fit, a part that does not work.
#
# **Test.** Take 16 pairs and train on *this one batch*, again and again. Any model with enough parameters can learn 16
# pairs by heart, and the loss goes to 0. If it does not, there is a bug. **Write it**: 100 updates of a fresh D on
# `one_batch`. `train(model, batches)` wants a list of batches, and returns the losses.

# %% tags=["hide-input"]
from helpers.suspects import least_loss_without_source, pairs_of_digits, repeated, suspect_batch

pairs = pairs_of_digits(16)
one_batch = suspect_batch("D", pairs)
expected = Expected(of_d=repeated("D", one_batch, 100))
of_b = repeated("B", suspect_batch("B", pairs), 100)

# %%
of_d = ...  # (100,), with train, suspect_model("D") and one_batch
of_d = expected.check(of_d=of_d)

# %% tags=["hide-input"]
plateau = least_loss_without_source(one_batch)
figure, ax = new_figure(width=7, height=2.8)
ax.plot(of_b, "--", color=main_color(), linewidth=2, label="B, the same test")
ax.plot(of_d, ":", color=ink(), linewidth=2.5, label="D")
ax.axhline(plateau, color=GREY, linewidth=1, label=f"{plateau:.2f}")
ax.set(**LOSS, ylim=(0, None))
ax.legend()
figure

# %% [markdown]
# D stops at 0.50, and the number says what is missing. Look at its batch only from the target's side: which tokens
# follow which beginning? A model that sees nothing else cannot have a loss below the entropy of these, and this is 0.49,
# the gray line. D has learned all that can be learned *without the source*.
#
# **Culprit.** Its decoder gets zeros for the memory, as after a wrong reshape or a mask with True and False swapped. On
# many sentences it would become a language model: fluent, whatever you ask.
#
# ## Case 3: the best loss you have ever seen
#
# **Clue.** C is at 0.00 after 40 updates. First loss and one batch are fine, too. Then it is asked to reverse 0 1 2 3,
# a token at a time:

# %%
from helpers.suspects import write_greedily

written = {suspect: write_greedily(trained[suspect], [4, 5, 6, 7])[:6] for suspect in "ABCD"}
bet.settle(" ".join(suspect for suspect, digits in written.items() if digits == [3, 2, 1, 0]))
show_arrays(**{f"{suspect} writes": np.array([written[suspect]]) for suspect in "BC"})

# %% [markdown]
# **Suspects.** The code that writes, or what the model saw in training and does not see now.
#
# **Test.** Position t predicts target token t, and must not have seen it. So change a token and see who noticed: here
# target token 2, from 1 to 9. `before` and `after` are the logits of an untrained C, (T, V), for both targets.
# **Write it**: the largest change of a logit, at each position.

# %%
from helpers.suspects import logits_of

source = [4, 5, 6, 7]
target = [7, 6, 5, 4]
other = [7, 6, 13, 4]
before = logits_of("C", suspect_model("C"), (source, target))  # (5 positions, 14 tokens)
after = logits_of("C", suspect_model("C"), (source, other))

# %% tags=["hide-input"]
from helpers.suspects import largest_changes

expected = Expected(changes=largest_changes(before, after))

# %%
changes = ...  # (5,), from before and after
changes = expected.check(changes=changes)

# %% tags=["hide-input"]
healthy_model = suspect_model("B")
healthy_changes = largest_changes(
    logits_of("B", healthy_model, (source, target)), logits_of("B", healthy_model, (source, other))
)
figure, axes = new_figure(1, 2, width=8, height=2.6)
for ax, (name, found, color) in zip(axes, (("B", healthy_changes, main_color()), ("C", changes, GREEN)), strict=True):
    ax.bar(range(5), found, color=color)
    ax.axvspan(-0.5, 2.5, color=GREY, alpha=0.2, linewidth=0)
    ax.set(title=name, xlabel="position; gray: must not notice", ylim=(0, 2.4), xlim=(-0.5, 4.5))
axes[0].set_ylabel("largest change of a logit")
figure

# %% [markdown]
# **Culprit.** The decoder should read the target one step late, beginning with `<bos>`. Whoever made C's batches forgot
# the step, so it reads the very token that it must predict, and copies it. In training that is perfect. When it writes,
# there is nothing to copy yet.
#
# The model is correct, the losses are splendid, and only this test, or a few sentences decoded during training, show
# it. A mask that does not hide the future fails the same test. [Notebook 18b](18b_bugs_in_the_data.ipynb), a detour, has
# more bugs of this kind.
#
# ## Case 4: a model that you have not seen
#
# **Clue.** This one has two layers on each side, as has the healthy model next to it. It learns, but slowly.
#
# **Suspects and tests.** All three tests pass, and the data are those of B. Is it the learning rate?

# %%
two_layers = suspect_model("B", n_layers=2)
unseen = suspect_model("unseen", n_layers=2)
batches = suspect_batches("B", 75)
healthy_losses = train(suspect_model("B", n_layers=2), batches)
of_rate = {}
for rate in (0.001, 0.003, 0.01):  # add a rate
    of_rate[rate] = train(suspect_model("unseen", n_layers=2), batches, rate)

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2.8)
ax.plot(running_mean(healthy_losses, 5), "--", color=main_color(), linewidth=2, label="healthy, rate 0.003")
for (rate, curve), dash in zip(of_rate.items(), [":", "-", "-."] + ["-"] * len(of_rate), strict=False):
    ax.plot(running_mean(curve, 5), dash, color=ORANGE, linewidth=1.6, label=f"unseen, {rate}")
ax.axhline(float(knows_nothing), color=GREY, linewidth=1)
ax.set(**LOSS, ylim=(0, 3.2))
ax.legend(loc="lower left")
figure

# %% [markdown]
# No rate repairs it: 0.001 and 0.01 are both worse than 0.003. So look inside, before any training. For each
# attention: how large is what enters it (root mean square of all features), and how large is the largest of its
# weights, on average?

# %% tags=["hide-input"]
from helpers.suspects import UNSEEN_CULPRIT, sizes_in_attentions

expected = Expected(culprit=UNSEEN_CULPRIT)
found = {name: sizes_in_attentions(model, batches[0]) for name, model in (("B", two_layers), ("unseen", unseen))}
names = list(found["B"])
figure, axes = new_figure(1, 2, width=9, height=3.2)
for panel, (ax, label) in enumerate(zip(axes, ("size of what enters", "mean of the largest weight"), strict=True)):
    for shift, (name, color) in enumerate((("B", main_color()), ("unseen", ORANGE))):
        values = [found[name][attention][panel] for attention in names]
        ax.barh(np.arange(len(names)) + 0.38 * shift, values, height=0.36, color=color, label=name)
    ax.set_yticks(np.arange(len(names)) + 0.19, names if panel == 0 else [""] * len(names))
    ax.invert_yaxis()
    ax.set(xlabel=label)
axes[0].legend(["healthy", "unseen"], loc="lower right")
figure

# %% [markdown]
# Compare bars of *one kind*: a layer with the same layer of a healthy model, or self-attention with self-attention on
# the same side. The decoder's self-attention has larger weights than the encoder's also in the healthy model, since the
# causal mask leaves the first positions few keys. That is no bug.
#
# Which of these is the culprit? **Write its number.**
#
# | 0 | 1 | 2 | 3 | 4 |
# |---|---|---|---|---|
# | the source embedding | $W^Q$ and $W^K$ of encoder layer 0 | the network of encoder layer 0 | the target embedding | the causal mask |

# %%
culprit = ...
culprit = expected.check(culprit=culprit)

# %% [markdown]
# Large bars at *every* layer would name no layer but the way that all matrices start, for instance without Glorot's rule
# ([notebook 03b](03b_additive_attention.ipynb)).
#
# The first two tests, and more of the kind, are in Andrej Karpathy's "A Recipe for Training Neural Networks" (2019). Such
# a training *fails silently*, he says, and what helps most is patience and attention to detail.
#
# ## Questions
#
# **1.** What is wrong with the unseen model, and why does it still learn?
#
# <details><summary>Answer</summary>
#
# Only the encoder's first attention is all or nothing, and what *enters* it is 5 times too large: so the bug is before
# the first layer, in the source embedding. Its rows are multiplied by $d_{model} = 32$, not by $\sqrt{d_{model}}$
# (section 3.4). Scores are products of two such vectors, and the positional encodings are small next to the tokens.
# Behind this layer LayerNorm hides the size, and the rest works.
#
# </details>
#
# **2.** The healthy model and the unseen one run the same lines, from other numbers. Record one update of each, and
# compare every array:

# %%
import npformer as npf
from helpers.suspects import step_of

comparison = npf.compare_steps(step_of(two_layers, batches[0]), step_of(unseen, batches[0]))
len(comparison.differences), comparison.n_arrays

# %% [markdown]
# About three quarters of the arrays differ. `comparison.first` says which is the first, and `comparison.save("two_steps.html")` shows
# them all. Does it agree with your verdict? Which arrays do *not* differ?
#
# <details><summary>Answer</summary>
#
# The first is what the source embedding returns, and all others follow from it. Equal are the parameters, the ids, and
# what the decoder computes before it reads the encoder's output. With a version that works at hand, a comparison finds
# a bug without any suspect.
#
# </details>
#
# **3.** A training starts at a loss of 1.3 with a vocabulary of 14. What do you look for?
#
# <details><summary>Answer</summary>
#
# It is below $\ln 14 = 2.64$, and an untrained model cannot know that much. Either the sum of the losses is divided by
# too many tokens, for instance by padding too, or the targets are in the input.
#
# </details>
#
# **4.** You left label smoothing at 0.1, and the loss of one batch stops at 0.55. Is there a bug?
#
# <details><summary>Answer</summary>
#
# No. The best prediction is then the smoothed target itself, and its entropy is left over: 0.547 for $V = 14$. Switch
# smoothing and dropout off for this test: 0 is a floor that you need not work out.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what the first loss should be, and what it means if it is not;
# - overfit one batch, and read a plateau as a message;
# - test in a second whether a model sees what it must predict, and find a layer that stands out.
#
# Exercise second_bug_hunt has bugs that these tests do not see, and you write those that do:
# `npformer course start my-course`.
#
# Next: [checkpoint 18c](18c_checkpoint_2.ipynb), ten questions. Detour:
# [18b](18b_bugs_in_the_data.ipynb), bugs that make the loss better.
