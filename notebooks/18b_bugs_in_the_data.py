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
# # 18b Debugging a training: bugs in the data
#
# *A detour from [18](18_debugging_a_training.ipynb): nothing later needs it. Next: [18c](18c_checkpoint_2.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# In notebook 18 one model had a splendid loss because it read the very token that it had to predict. That at least looked
# too good. Two bugs of the same kind leave the loss as it should be, and the model still writes nonsense.
#
# **After this you can** draw who sees what in any model; test whether a sentence depends on its neighbors in the batch; say
# which test finds which bug.
#
# Paper: sections 3.1 and 3.2.3. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics
from helpers.expected import Expected
from helpers.leaks import model_with, number_right, show_losses
from helpers.suspects import suspect_batches, train
from npformer_course import Bet

schematics.masks()

# %% [markdown]
# ## A mask that does not hide the future
#
# The task is that of notebook 18: three to six digits, to be written in reverse order. Digit $n$ has the id $4 + n$. The
# second model lacks the causal mask: in training its decoder can look at the token that it must predict, one position to
# the right.

# %%
batches = suspect_batches("B", 200)
models = {"healthy": model_with(), "no causal mask": model_with("no causal mask")}
losses = {name: train(model, batches) for name, model in models.items()}
show_losses(losses)

# %%
bet = Bet("How many of 100 new rows does the second model write correctly?", ["0 to 9", "about half", "91 to 100"])
bet.place(...)

# %%
n_right = number_right(models["no causal mask"])
bet.settle(["0 to 9", "about half", "91 to 100"][np.digitize(n_right, [10, 91])])
number_right(models["healthy"]), n_right

# %% [markdown]
# None, where the healthy model writes 94. It had to learn first where the next token is, so its loss fell like a healthy
# one, and nothing looked suspicious. But in training only the last position had nothing to its right, and the right answer there was `<eos>`. When it writes,
# the newest token never has anything to its right, so it nearly always writes `<eos>` at once.
#
# Two tests find this. Decode a few sentences during training, not only at the end. And before any training, change one
# target token and see at which positions the logits change. `who_notices` does it for each token of a target of four, on
# an untrained model: row t and column s have the largest change at position t if token s changes.
#
# **Write it:** where may there be a change? Position t predicts token t, and has read `<bos>` and the tokens before t.

# %%
from helpers.leaks import who_notices
from helpers.pictures import show_arrays

noticed = who_notices(model_with("no causal mask"))  # (5 positions, 4 tokens); position 4 predicts <eos>

# %% tags=["hide-input"]
from helpers.leaks import may_notice

expected = Expected(allowed=may_notice())

# %%
allowed = ...  # (5, 4), booleans: may position t notice a change of token s?
allowed = expected.check(allowed=allowed)

# %% tags=["hide-input"]
grids = {
    "healthy": who_notices(model_with()),
    "no causal mask": noticed,
    "no step (C of 18)": who_notices(model_with("C"), "C"),
}
places = {name: [tuple(place) for place in np.argwhere(~allowed)] for name in grids}
labels = [f"position {t}" for t in range(5)]
show_arrays(**grids, rows=labels, columns=[f"token {s}" for s in range(4)], marked=places)

# %% [markdown]
# Framed cells must be 0. The healthy model has them all at 0. Without the mask every position notices every token. The third
# is the model of notebook 18, whose decoder reads its target without the step to the right: only the diagonal is wrong, and
# that is enough.
#
# **Write the test as one number**, which is 0 for a healthy model and above 0 for a leak.

# %% tags=["hide-input"]
from helpers.leaks import largest_where

expected = Expected(leak=largest_where(noticed, may_notice()))

# %%
leak = ...  # from noticed and allowed
leak = expected.check(leak=leak)

# %% [markdown]
# ## Padding that leaks
#
# Sentences of a batch are filled up with `<pad>` to the same length, and the encoder's mask keeps attention away from it.
# The next model has a mask that allows everything. Its loss is as good as ever. How well does it write? In training every
# batch was 7 wide, so sources of 3, 4, 5 and 6 digits always had 3, 2, 1 and 0 zeros after their `<eos>`. Decode each
# length with each number of zeros:

# %%
from helpers.leaks import shares_with_padding, show_shares

models["padding leaks"] = model_with("padding leaks")
losses["padding leaks"] = train(models["padding leaks"], batches)
shares = {name: shares_with_padding(models[name]) for name in ("healthy", "padding leaks")}
show_shares(shares)

# %% [markdown]
# The second model is mostly right where digits and zeros add up to 6, as in training; farther off it is mostly wrong. To the
# healthy one the zeros do not exist.
#
# The same sentence must give the same result, whatever is next to it in the batch. So the test needs no training either: a
# pair of three digits by itself, and in a batch with a pair of six.
#
# **Write it:** the largest change of a logit of the short pair.

# %%
from helpers.leaks import alone_and_together

alone, together = alone_and_together(model_with("padding leaks"))
alone.shape, together.shape  # (1, 4, 14) and (2, 7, 14): the short pair comes first

# %% tags=["hide-input"]
from helpers.leaks import change_by_company

expected = Expected(change=change_by_company(alone, together))

# %%
change = ...  # one number, from alone and together
change = expected.check(change=change)

# %% [markdown]
# With a healthy model the change is about $10^{-7}$: sums over more positions are added in another order.
#
# ## Every test on every bug
#
# Now four tests on seven models: the first loss (fails above $1.5 \ln V$), one batch (above 0.1 after 75 updates), and the
# two of this notebook. A, C and D are those of notebook 18: a table that starts too large, no step, a blind decoder. One
# has a learning rate of 0.1.

# %%
from helpers.leaks import results_of_tests, show_failures

results = {
    "healthy": results_of_tests(),
    "A: table too large": results_of_tests("A"),
    "D: blind decoder": results_of_tests("D"),
    "rate 0.1": results_of_tests(rate=0.1),
    "C: no step": results_of_tests("C"),
    "no causal mask": results_of_tests("no causal mask"),
    "padding leaks": results_of_tests("padding leaks"),
}
show_failures(results)

# %% [markdown]
# No test finds everything. The last three pass the first two: their training is in order, and only their data
# give too much away. Together the tests take less time than a hundred updates of a real training.
#
# ## Three questions
#
# **1.** One batch goes to 0 as it should. In the real training the loss stays at that of guessing by frequency. Which bug of
# the data does no test of the table find?
#
# <details><summary>Answer</summary>
#
# Sources that are paired with the wrong targets, for instance because only one of the two lists was shuffled. Any 16 pairs
# can be learned by heart, wrong ones too. Print five pairs as text before the first update.
#
# </details>
#
# **2.** You sort the training pairs by length, so that batches have no padding. Does that repair the model that sees padding?
#
# <details><summary>Answer</summary>
#
# No, it hides the bug. A model trained so writes correctly as long as there is no padding, and fails in the first batch of
# mixed lengths. The test of one pair alone and in company still finds it. Repair the mask.
#
# </details>
#
# **3.** In which of the six bugs would a gradient check (notebook 13) have reported an error?
#
# <details><summary>Answer</summary>
#
# In none. All backwards are correct: the gradient is that of the loss that was computed. But it was the wrong loss, the
# wrong start or the wrong mask. Gradient checks find wrong derivatives, and these tests find the rest.
#
# </details>

# %% [markdown]
# **You can now**
#
# - draw who notices what, and read a missing mask or a missing step off it;
# - test that a sentence does not depend on its batch;
# - choose the tests for a new model, and say what each cannot see.
#
# Back to the path: [checkpoint 18c](18c_checkpoint_2.ipynb), ten questions.
