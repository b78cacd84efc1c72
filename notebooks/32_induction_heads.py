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
# # 32 Induction heads and the logit lens
#
# *Part IV, Understand it. Before: [31](31_swiglu_and_grouped_queries.ipynb). Next: [32d](32d_project_a_head.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Give a language model a name that it has never met, and the second time it spells the name correctly. Nothing in its
# parameters knows this name. So it must look it up in the text that it is reading. How? In 2022 people found two heads
# that do it together, and in this notebook you watch them appear.
#
# **After this you can** find heads by what they look at, with a number for each; show by ablating and patching that one
# head feeds another; ask every layer of a model what it would say.
#
# Source: Olsson et al. 2022, "In-context Learning and Induction Heads". About 45 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import induction, schematics
from helpers.compare import compare
from helpers.induction import letters
from helpers.pictures import show_arrays
from npformer_course import Bet, bets_so_far, exercise, yours

schematics.induction()

# %% [markdown]
# ## A text that can only be copied
#
# Each text is a random segment of 8 to 16 different letters, repeated. Every text has another segment, so there is
# nothing to learn by heart.

# %%
[letters(ids) for ids in induction.test_ids[:3]]

# %% [markdown]
# From the second round on the next letter is known to anyone who can look it up: a loss of 0 is possible. (The first
# letter of the second round does not count. Nothing says that the segment is over.)
#
# In the first round each letter is a surprise. But it is none of those that the segment has had. So what is the best
# loss there, after $t$ different letters of 26, as long as the segment cannot be over?
#
# **Write it**, for $t$ from 1 to 7, in nats.

# %%
t = np.arange(1, 8)
best = ...  # (7,)

# %%
best = induction.expected_best().check(best=best)

# %% [markdown]
# With the places at which the segment may be over, the mean is 2.90. That is the floor of the first round.
#
# The models are decoders like that of notebook 23, with four heads, width 64 and the rotary positions of notebook 30: one
# has two layers, and one has a single layer. Both make 280 updates. (Of the peak rates 0.0025, 0.005 and 0.01 the middle one
# was best, with three seeds each. With the other two 280 updates are too few.)

# %%
one, two = induction.train(n_layers=1), induction.train(n_layers=2)
compare(one.later[-1], 2.60, "one layer, loss in later rounds (floor 0)", tolerance=0.05)
compare(two.later[-1], 0.08, "two layers, loss in later rounds (floor 0)", tolerance=0.6)

# %% tags=["hide-input"]
induction.show_losses({2: two, 1: one})

# %% [markdown]
# Both learn slowly that letters of the segment come again. Then, within eighty updates, the loss of two layers drops to
# almost 0. (With two other seeds it drops a little later, and ends at 0.29 and 0.69.) One layer never has the drop. In the
# first round two layers are worse than blind guessing, $\ln 26 = 3.26$: who expects repetition pays for it where there is
# none.
#
# Here is a word that both have never seen, again and again. How probable is the right next letter?

# %%
word = "residual"  # try others of 8 to 16 different letters, such as "lumberjack"
ids = induction.repeated(word)  # (1, 33)
p = [induction.probabilities_of_next(history.model, ids)[0] for history in (one, two)]
show_arrays(p=np.array(p)[:, :20], rows=["one layer", "two layers"], columns=list(letters(ids[0, :20])), decimals=1)

# %% [markdown]
# Two layers need to read it once. In the second round they hesitate for some letters: is the segment really over? Then they
# know each next one.
#
# ## Which head looks where?
#
# Does the model do what the picture at the top says? Two numbers for each head would show it.
#
# - **Previous-token score**: the mean weight from each position to the one before it.
# - **Induction score**: position $t$ reads a token that has been there before, the last time at $s$. What followed is at
#   $s + 1$. The score is the mean weight from $t$ to $s + 1$. In "turn off the radio turn off" the last word looks
#   at "the", place 2.
#
# **Write both**, for all heads of a layer.


# %%
def previous_scores(weights):
    """Return the mean weight that each head gives to the token just before (H,).

    weights (H, T, T): row t says how much position t looks at each position. T is at least 2. They
    are not changed.
    """
    raise NotImplementedError


def induction_scores(weights, ids):
    """Return the mean weight that each head gives to what followed the previous occurrence (H,).

    It is the mean over the positions whose token has occurred before. weights (H, T, T): row t says
    how much position t looks at each position. ids (T,): tokens, in any order, some of which occur
    again. Neither is changed.
    """
    raise NotImplementedError


# %%
previous_scores, induction_scores = exercise("head_scores").check(previous_scores, induction_scores)

# %% [markdown]
# Now as means over 64 texts, of all eight heads. And "by chance": of a head that looks at itself and all earlier positions
# equally.

# %%
mine = (previous_scores, induction_scores)
previous, inducing = induction.mean_scores(two.weights[-1], *mine)  # (2, 4) each
chance = [float(score[0, 0]) for score in induction.mean_scores(induction.equal_weights(), *mine)]

# %% tags=["hide-input"]
heads = [f"head {head}" for head in range(4)]
show_arrays(previous_token=previous, induction=inducing, rows=["layer 0", "layer 1"], columns=heads)

# %% [markdown]
# There they are. Head 2 of layer 0 gives three quarters of its weight to the token before (by chance 0.10). Head 0 of layer
# 1 gives nearly as much to what followed the last time (by chance 0.05). In the other layer both scores are near chance.
# Here are the two, in the first text:

# %%
note, find = int(previous[0].argmax()), int(inducing[1].argmax())
induction.show_maps(two.weights[-1], [(0, note), (1, find)])

# %% [markdown]
# On the left the line is just below the diagonal. On the right there is none in the first round, where there is nothing to
# find. Then it begins. In the third round a letter has been there twice, and some rows share their weight.
#
# **When do they appear?** Here are the scores of all heads every 20 updates.

# %%
history = [induction.mean_scores(weights, *mine) for weights in two.weights]
previous_0 = np.array([scores[0][0] for scores in history])  # (15, 4)
inducing_1 = np.array([scores[1][1] for scores in history])  # (15, 4)

# %% tags=["hide-input"]
induction.show_moments(two, previous_0, inducing_1, chance)

# %% [markdown]
# Both come together, in the very updates in which the loss drops. Before that, each is useless: a head that searches finds
# nothing until another has written, and what is written is of no use until somebody reads it. So the gradient is small for a
# long time, and large as soon as both are there a little. Olsson et al. saw the same in large models, as a bump in the loss.
#
# ## Is it a circuit?
#
# Scores that rise together are a correlation. So **ablate** heads, one at a time: take away what a head says about the text,
# leave all else, and see what is missed. In place of its result comes its mean result in all texts, the same everywhere.
# (Not zeros: nothing above has ever read a head that is silent, and that by itself could do harm.)
#
# The whole model has a loss of 0.08 in later rounds, and that with one layer has 2.60.

# %%
bet = Bet(
    "Without the strongest head of layer 1, how far does the loss go from 0.08 to 2.60?",
    ["hardly", "halfway", "all the way"],
)
bet.place(...)

# %%
model = two.model
without = np.zeros((2, 4))
for layer, head in np.ndindex(2, 4):
    with induction.ablated(model, layer, head):
        _, without[layer, head] = induction.losses(model)

way = (without[1, find] - two.later[-1]) / (one.later[-1] - two.later[-1])
bet.settle(bet.options[int(way > 0.2) + int(way > 0.8)])

# %% tags=["hide-input"]
show_arrays(**{"loss without": without}, rows=["layer 0", "layer 1"], columns=heads)

# %% [markdown]
# In each layer the head with the highest score is missed most. But others of its layer do the same work, less well, and so
# the loss stays below that of one layer.
#
# Does one head *feed* the other? If the picture is right, the head of layer 0 is needed in the **keys** of layer 1: they say "I
# came after off". Queries and values only need the letter itself. Test it with a **patch**. Run the model with this head
# ablated, and keep what layer 1 reads then: `poor`. Then run the whole model, and let only the keys of layer 1 read `poor`.
# Then only the queries, then only the values.

# %%
import npformer as npf
from npformer.utils.wrap_methods import wrap_methods

with npf.trace(model) as trace, induction.ablated(model, 0, note):
    model.forward(induction.test_ids[:, :-1])
poor = trace["decoder.layers.1.self_attention.sublayer"].inputs[0]  # (64, 32, 64)


def reads_poor(forward, x):
    """Return what a projection makes of `poor`, whatever it should have read."""
    return forward(poor)


above = model.decoder.layers[1].self_attention.sublayer
patched = {}
for name, projection in (("keys", above.w_key), ("queries", above.w_query), ("values", above.w_value)):
    with wrap_methods([(projection, "forward", reads_poor)]):
        patched[name] = induction.losses(model)[1]

# %% tags=["hide-input"]
losses = {"whole model": two.later[-1], "head ablated": without[0, note]}
losses |= {f"poor {name}": loss for name, loss in patched.items()}
show_arrays(**{"loss in later rounds": np.array([list(losses.values())])}, columns=list(losses), rows=["loss"])

# %% [markdown]
# Poor keys do all the harm that is done without the head. Poor queries or values do none. So whatever this head is good for
# goes through the keys of layer 1: they carry *what came before me* from one head to the other, and that is why one layer
# is not enough. (The loss stays below 2.60 because head 1, which has the second highest score, feeds the same keys. In notebook
# 28 an LSTM did for attention what the first head does here: its states knew the letter before.)
#
# ## The logit lens
#
# The state of a position has 64 features after each layer, but letters are made of it only at the end. Read it earlier
# (nostalgebraist 2020): apply the final LayerNorm and the output table to the embedding, to what comes out of layer 0, and to
# what comes out of layer 1. The **rank** of the right letter is the number of tokens that have a larger logit. At 0 the model
# would say it.
#
# **Write both.** `layer_norm(x, gain, bias, eps)` is yours of notebook 06. It returns three arrays, the result first.

# %%
layer_norm = yours("layer_norm")


# %%
def logit_lens(states, gain, bias, eps, table):
    """Return the logits (N, T, V) that the model would have if it stopped at each state.

    states (N, T, D): the embedding, then the output of each layer. gain (D,), bias (D,), eps: of the
    final LayerNorm. table (V, D): the output table. None of the inputs is changed.
    """
    raise NotImplementedError


def ranks(logits, right):
    """Return how many tokens have a larger logit than the right one (N, T).

    logits (N, T, V): at each position of each state, no two of them equal. right (T,): the id of the
    right token at each position. Neither is changed.
    """
    raise NotImplementedError


# %%
logit_lens, ranks = exercise("logit_lens").check(logit_lens, ranks)

# %% [markdown]
# Your word once more. Each cell has the letter that the model would say, dark where the right one is probable:

# %%
norm = model.decoder.norm
parameters = norm.gain.data, norm.bias.data, norm.eps, model.generator.table.data
logits = logit_lens(induction.states(model, ids[0, :24]), *parameters)  # (3, 24, 30)

# %% tags=["hide-input"]
stages = ["embedding", "after layer 0", "after layer 1"]
induction.show_lens(logits, ids[0, :25], stages)

# %% [markdown]
# And the mean rank of the right letter in later rounds, over all texts. By guessing it would be 12.5.

# %%
mean_rank = induction.mean_ranks(model, logit_lens, ranks)  # (3,)
show_arrays(mean_rank=mean_rank, columns=stages)

# %% [markdown]
# After layer 0 eleven letters are ahead of the right one, after layer 1 none: the answer comes with the induction head, all
# at once. In deep models the change is often gradual, and the first layers can look like nonsense, because nothing makes
# them write in the language of the output table. So a lens that shows the answer says that it is there. One that does not
# says little.
#
# ## Three questions
#
# **1.** Within a segment "x" occurs several times: "a x b x c x". What does the circuit predict after the last "x"?
#
# <details><summary>Answer</summary>
#
# The head finds all positions that came after an "x" and averages what is there: "b" and "c", with about equal
# probability. To tell them apart it would have to match two letters.
#
# </details>
#
# **2.** A head gives a large weight to $s$ itself, and not to $s + 1$. Can one layer do that, and what is it good for?
#
# <details><summary>Answer</summary>
#
# One layer can: query and key contain the same letter. But what it finds is the letter that it has just read, which says
# nothing about what comes next.
#
# </details>
#
# **3.** Could one layer solve the task if all segments had 12 letters?
#
# <details><summary>Answer</summary>
#
# Yes: a head that looks 11 places back finds the answer by its place, and rotary positions make that easy. A test of
# induction has to make sure that positions cannot do it, so the segments differ in length.
#
# </details>

# %%
bets_so_far()

# %% [markdown]
# **You can now**
#
# - find heads by two scores, and say when in a training they appear;
# - ablate a head, patch what another one reads, and so show a circuit of two;
# - ask each layer of a model what it would say, and know what silence means.
#
# Next: [the project](32d_project_a_head.ipynb). Here the circuit was known before you looked for it. There you find a head of the
# translator that does something, and show it in the same three ways.
#
# Detours: [32b](32b_importing_a_model.ipynb), where you import models from other programs and write `first_differing_layer` to
# find what is wrong with one, and [32c](32c_inside_a_real_model.ipynb), on what the heads of such models look at.
