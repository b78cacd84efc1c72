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
# # 25b Project: your own text
#
# *Part III, Use it. Before: [25](25_kv_cache.ipynb). Next: [25c](25c_checkpoint_3.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Until now the text, the sizes and the learning rate were chosen for you, and so was what counts as good. In a project
# nobody has tried it before you. What you need is a number that is the same for everybody, and rivals.
#
# **After this you can** train a language model of any text within a limit, and say how good it is; find the cause of a
# model's mistakes in the text that it learned from; hand in a file that a program can score.
#
# About 25 minutes with its writing; the project itself is yours, and takes as long as you like.

# %%
# %matplotlib inline
import numpy as np

from helpers import own_text, schematics
from helpers.compare import compare
from helpers.pictures import show_arrays
from npformer_course import Bet

schematics.predict_then_see()

# %% [markdown]
# ## A text
#
# In place of the dots write the name of a text file, between quotes: 200,000 characters or more, in any language. With
# the dots the text is the phrasebook's English. (Of a file of yours, characters that come fewer than 20 times become
# spaces: nothing could be learned of them.)

# %%
text = own_text.read(...)
characters = sorted(set(text))
V = len(characters)
len(text), V, text[:75]

# %% [markdown]
# The last tenth is **held out**: nothing may learn from it. (The last tenth, and not every tenth line: neighbors are
# alike. And once you have looked at the held-out loss fifty times, and kept what lowered it, you have learned from it
# too. So your teacher has another text of the same kind, which you never see.)
#
# **Write it:** the place in the text at which it is cut, a whole number.

# %% tags=["hide-input"]
expected = own_text.expected_cut(text)

# %%
cut = ...
cut = expected.check(cut=cut)

# %%
learn = text[:cut]
held_out = text[cut:]

# %% [markdown]
# Now the first rival. It knows how often each character comes, and nothing else. Given `counts` (V,), how often each
# comes in the part to learn from, and `ids`, the number of each held-out character in `characters`:
#
# **Write it:** its held-out loss, in nats per character.

# %% tags=["hide-input"]
counts, ids = own_text.counts_and_ids(learn, held_out)  # (V,), and (N,)
expected = own_text.expected_loss(counts, ids)

# %%
of_counts = ...  # from counts and ids
of_counts = expected.check(of_counts=of_counts)

# %%
compare(float(of_counts), 3.045, "counts of characters", tolerance=0.003)
compare(np.log(V), 3.761, "a model that knows nothing", tolerance=0.003)

# %% [markdown]
# ## Sixty seconds
#
# **The rule.** A model gets 60 seconds of *processor time* on one core, and the lowest held-out loss wins. Then a slow
# machine and a fast one differ, but a busy one and an idle one do not, and nobody wins by patience. What you hand in is
# a file `language_model.py` with one function, which returns another:
#
# ```python
# def train(text, seconds):
#     """Learn from a text, and return a function that predicts."""
#     ...
#     def predict(beginnings):
#         """Return the probabilities (n, V) of the next character of n beginnings."""
#         ...
#     return predict
# ```
#
# The columns are the characters of the text, sorted. `seconds` is what is left of the time: compare
# `time.process_time()`. The program that scores reads the held-out text in up to 32 pieces at once, asks for the
# probabilities of all next characters, and only then shows what they are. So `predict` may be of any kind: a
# Transformer, counts, or both.
#
# Here are two files to begin with: `letter_counts.py` counts which character follows two others, and
# `small_transformer.py` trains a model like that of notebook 23. Take the # away to get both, and the two parts of the
# text, in a folder of your own:

# %%
# own_text.begin("my-project", learn, held_out)

# %% tags=["hide-input"]
from IPython.display import Code

Code(filename=own_text.file_or_baseline(..., "small_transformer"))

# %% [markdown]
# Both get 5 seconds here, and to save time the score is that of the **first 3,000** held-out characters only. (So it can
# differ a little from the 3.045 above, which is of all of them.)

# %%
bet = Bet("Which is better after 5 seconds?", ["the counts", "the Transformer"])
bet.place(...)

# %%
MY_FILE = ...  # "my-project/small_transformer.py", once you have changed it
SECONDS = 5
of_letters = own_text.score_here(own_text.file_or_baseline(..., "letter_counts"), learn, held_out, SECONDS)
of_model = own_text.score_here(own_text.file_or_baseline(MY_FILE, "small_transformer"), learn, held_out, SECONDS)
bet.settle("the counts" if of_letters < of_model else "the Transformer")

# %% tags=["hide-input"]
losses = own_text.losses_of_counts(learn, held_out[: own_text.SEEN])
after_5 = {"letter_counts.py, 5 s": of_letters, "small_transformer.py, 5 s": of_model}
after_60 = {"small_transformer.py, 60 s, all": own_text.LOSS_AFTER_60}
own_text.show_ladder(np.log(V), losses, after_5 | after_60)

# %% [markdown]
# Counting is quick: two characters of context need a second. On the machine of this page the Transformer has done a hundred
# updates, and is about where counts after one character are. After 60 seconds (the last bar, measured before on the
# phrasebook's English, on all of the held-out text) it has passed counts after four characters, and is equal with those
# after five. That is your rival.
#
# **What could help?** Try one thing at a time and write down what came out, also where it did not help:
#
# - *More updates.* Which part of an update takes the time? A smaller model has more updates in 60 seconds, a larger one
#   learns more from each. Batches of 256 characters, or of 4,096?
# - *The rate.* `UPDATES` says when the rate is lowest. How many does your machine do in 60 seconds?
# - *What a model sees.* 64 characters are expensive. Does it need them?
# - *Counts and a Transformer.* They are wrong at different places: what is the loss of the mean of both probabilities?
#   And of a mean with a weight for each, found on a piece of the text that neither has seen?
# - *The parts of part IV*, when you have met them: rotary positions, RMSNorm, SwiGLU. In the config they are
#   `positions="rotary"`, `norm="rms"` and `activation="swiglu"`.
#
# On your machine, in a terminal, the whole 60 seconds and all of the held-out text:
#
# ```
# cd my-project
# npformer course score small_transformer.py --text learn.txt --held-out held_out.txt
# ```
#
# ## Find the cause of a mistake
#
# The number says how good a model is, and not what it lacks. For that, read its worst lines, and ask of each what the
# model has met in its text, and what it has not. Practice on a model that is finished, the translator that ships. It
# gets nearly all held-out sentences of the phrasebook right. Here are three others, in the same words, each with what
# the translator writes and what is right:

# %%
own_text.mistakes()

# %% [markdown]
# Is it the words, the negation, the length? Change one thing at a time, as here, and see which change repairs it.

# %%
own_text.translate("The dog reads no book.", "The dog does not sleep because it is tired.", "You know that I am tired.")

# %% [markdown]
# All three are right. So *no* is not the cause, nor are negation before *because* and *I am tired* after *that*. Now
# look at the text that it learned from: how many of its 20,000 sentences have what the wrong ones have?

# %% tags=["hide-input"]
counts = own_text.sentences_with(own_text.PATTERNS)
show_arrays(**{"training sentences with it": counts[:, None]}, rows=list(own_text.PATTERNS))

# %% [markdown]
# These are the causes. *No* has occurred only after *has* and *have*. The translator carries it over to *reads*, but not to
# the beginning of a sentence, where it takes another small word, *Mein*. After *because* there was always a pronoun, and
# with a noun the German clause falls apart. And it has never met a clause inside a clause: it writes one of the two, with
# the *du* of the one and the *bin* of the other. More epochs would not help here. Other sentences would, as with the rows
# of twelve digits in notebook 17.
#
# Do the same with your language model: take the ten held-out lines with the largest loss, and count in `learn.txt`.
#
# (Your teacher may also score translators, such as the one that you train with `npformer course train phrasebook`, on
# hidden sentences: [score the projects of a class](../docs/how_to/score_a_class.md).)
#
# ## The report
#
# One page:
#
# | | |
# |---|---|
# | **What I changed** | one line for each try, in the order of trying |
# | **What came out** | the loss of each, on the same held-out text, with its error bar |
# | **The curve** | loss against processor seconds, with the rivals as lines |
# | **Mistakes** | its worst held-out lines, the cause of three of them, and how you found it |
# | **What did not help** | and why you think so |
# | **In two sentences** | what you would do with ten times as much time |
#
# ## Two questions
#
# **1.** Somebody hands in a model with a loss of 0.05 nats. What do you ask first?
#
# <details><summary>Answer</summary>
#
# Whether the held-out text is in the text to learn from: a book that is quoted, a sentence that occurs twice. Then
# whether the model sees the character before it predicts it. 0.05 nats is a probability of 0.95 for every character on
# average, and no writer is that predictable.
#
# </details>
#
# **2.** Two models have held-out losses of 0.57 and 0.58. Which one should win?
#
# <details><summary>Answer</summary>
#
# Nobody knows from these two numbers. Train each with three seeds: if the losses of one model differ by more than 0.01
# from seed to seed, the order is chance. And compare the two on the same characters, difference by difference, as in
# notebook 22: that is more exact than comparing two means.
#
# </details>

# %% [markdown]
# **You can now**
#
# - divide a text, and give a language model a score that others can compare theirs with;
# - train within a limit of processor time, and say which rivals your model has passed;
# - find the cause of a mistake by changing one thing at a time, and by counting in the training text.
#
# Next: [ten questions](25c_checkpoint_3.ipynb) on part III. Then [notebook 26](26_looking_at_attention.ipynb) looks into
# the translator.
