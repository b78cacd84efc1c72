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
# # 23 Training a language model
#
# *Part III, Use it. Before: [22](22_error_bars.ipynb). Next: [24](24_generating_text.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A translator needs pairs of sentences, and somebody has to write them. But there is far more text that nobody has
# translated. Leave out the encoder, and let the decoder predict how a text goes on: then any text will do, and it is
# its own label.
#
# **After this you can** turn a running text into inputs and targets; say what each character of a text costs, and
# compare a model with counting; watch a model learn letters, then words, then sentences, also on a text of your own.
#
# Paper: sections 3.1 and 3.2.3, for the decoder and its mask. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import language_model, schematics
from helpers.compare import compare
from npformer_course import Bet, exercise

schematics.language_model()

# %% [markdown]
# ## A text is its own label
#
# The text is the English of the phrasebook: 20,000 sentences to learn from and 500 others that are held out, one after
# the other. A token is a character, so there are few of them and none is unknown. A line end is a character too.

# %%
text, held_out = language_model.english()
vocabulary = language_model.characters_of(text)
text[:60], len(text), len(vocabulary) - language_model.N_SPECIAL

# %% [markdown]
# The model is the decoder of notebook 07 without cross-attention, because there is no source: each layer has masked
# self-attention and a feed-forward network. LayerNorm comes before each part, as in most language models. It is small:
# two layers with four heads, and $D = 64$ features for each position. One table embeds the characters and scores them.
# It has $V = 47$ rows: 43 characters, and four special tokens such as `<pad>` and `<bos>`, which this text never has.
#
# With the mask every position predicts at once. **Write** what the model reads and what it must predict for a piece of
# text: two arrays of the same length, like the two rows of the picture.

# %%
piece = np.array(vocabulary.encode("The dog sleeps"))  # (14,)
expected = language_model.reads_and_predicts(piece)
ids = ...  # (13,), from piece
targets = ...  # (13,), from piece

# %%
ids = expected.check(ids=ids)
targets = expected.check(targets=targets)
model = language_model.new_model(vocabulary)
logits = model.forward(ids[None])[0]  # (13, 47): one forward, 13 predictions
model.n_parameters, logits.shape

# %% [markdown]
# ## What a character costs
#
# The **surprise** of a character is $-\ln p$ of the probability that it was given. Its mean over a text is the loss.
# You wrote the loss of one position in notebook 14. Now keep the surprise of each position apart: the mean hides where
# a text is hard to predict. With $x_t$ for the character that really came at position $t$,
#
# $$\mathrm{surprise}_t = -\ln p_{t,x_t} = \ln \sum_u e^{z_{tu}} - z_{t,x_t}$$
#
# A surprise in **bits** has the logarithm to the base 2. The mean in bits is the number that papers report, *bits per
# character*: how short a program could store the text if it knew the model's probabilities.
#
# **Write both.**


# %%
def surprise(logits, ids):
    """Return the surprise of each character in nats (T,).

    logits (T, V): what the model returned at each position. ids (T,): the character that came next
    there, from 0 to V - 1. Neither is changed.
    """
    raise NotImplementedError


def bits_per_character(nats):
    """Return the mean surprise in bits, one number.

    nats (T,): the surprise of each character, as above; T is 1 or more. It is not changed.
    """
    raise NotImplementedError


# %%
surprise, bits_per_character = exercise("surprise").check(surprise, bits_per_character)

# %% [markdown]
# A loss by itself says nothing. Is 2 nats per character good? So measure some rivals first, which have no layers at
# all. One knows nothing, and gives each of the 43 characters the same probability. The others **count** in the training
# text: how often does each character occur, and how often after the one, three or five characters before it? The
# logarithms of their counts are logits, so your function judges them as it judges a model.

# %%
rivals = {"knows nothing": np.log(43)}
names = {0: "counts of characters", 1: "counts after 1", 3: "counts after 3", 5: "counts after 5"}
for n_before, name in names.items():
    counted = language_model.logits_by_counting(text, held_out, n_before, vocabulary)
    came = np.array(vocabulary.encode(held_out)[n_before:])
    rivals[name] = surprise(counted, came).mean()

# %% [markdown]
# Counting after five characters needs a table of 9,105 rows, one for each five that occur in the text. Our model has
# 103,104 parameters. It gets 1,600 updates of 256 characters each, half of the text.

# %%
bet = Bet("Counts after 1, 3 or 5 characters: which ones will the model beat?", ["none", "1", "1 and 3", "all"])
bet.place(...)

# %% [markdown]
# ## It learns
#
# In training, batches are pieces of 64 characters, cut at other places in each epoch. Adam, warm-up and the loss are
# those of part II, without label smoothing, because here the probabilities themselves are wanted. The highest rate,
# 0.004, was the best of three (0.002, 0.004, 0.008) by the held-out loss. Before the first update, and after 20, 100,
# 400 and 1,600, the model writes 70 characters. (How it writes, is the next notebook.)

# %%
losses, samples = language_model.train_with_samples(model, vocabulary, text, after=(20, 100, 400, 1600))
samples

# %% [markdown]
# Before training it repeats what it has just read (question 3). After 20 updates any letter may come, after 100 those
# that often follow each other, with spaces as in a text. After 400 some words are right, and in the end nearly
# sentences. Nobody told it what a word is.
#
# Now measure it on the held-out text, in pieces of 64 as in training.

# %%
encoded = np.array(vocabulary.encode(held_out))
pieces = encoded[: 64 * (len(encoded) // 65) + 1]
read = pieces[:-1].reshape(-1, 64)
came = pieces[1:].reshape(-1, 64)
nats = np.array([surprise(*pair) for pair in zip(model.forward(read), came, strict=True)])  # (B, 64)
loss = nats.mean()
compare(loss, 0.77, "held-out loss in nats per character", tolerance=0.05)
n_beaten = sum(loss < rivals[names[n_before]] for n_before in (1, 3, 5))
bet.settle(bet.options[n_beaten])

# %% tags=["hide-input"]
language_model.show_losses(losses, rivals, loss)

# %% [markdown]
# On its way down the model passes one rival after the other, all but the last. Counting five characters is hard to beat
# here, because the phrasebook has few words, and a table can hold them all. A table also sees five characters always,
# and the model begins each piece of 64 with none. From the sixth character of a piece on it loses 0.72: that is about a
# quarter of the difference. And its training is not at its end. After 5,600 updates of 1,024 characters the same model
# loses 0.52 and passes this rival too; notebook 24 writes with it.
#
# The loss before the first update is not $\ln 43 = 3.76$. Why it is larger is question 3.
#
# Where is the surprise that is left? Look at one held-out sentence, in bits.

# %%
line = "\nThese nice boys close your old window because it is cold.\n"  # change a word
ids = np.array(vocabulary.encode(line))
of_line = surprise(model.forward(ids[None, :-1])[0], ids[1:]) / np.log(2)
language_model.show_surprise(line, of_line)

# %% [markdown]
# Words begin with a surprise, and so does what makes *The* into *These*. A letter or two later there is mostly one way
# on, and the letters come nearly free. What a text says is decided at few places. (Now write "bus" instead of "window",
# a word that the phrasebook does not have.)
#
# ## A text of your own
#
# Give a text of some pages, in any language: your own mails, a book, a program. Write the path of its file between the
# quotation marks, or paste the text itself. If there is nothing, Shakespeare's plays are used, where
# `npformer train shakespeare` has downloaded them.

# %%
path_or_text = r""" """

# %%
own, own_held_out = language_model.own(path_or_text)
own_vocabulary = language_model.characters_of(own, own_held_out)
own_model = language_model.new_model(own_vocabulary)
_, own_samples = language_model.train_with_samples(own_model, own_vocabulary, own, (20, 100, 600), begin=own[:4])
own_samples

# %%
part = own_held_out[: 64 * ((min(len(own_held_out), 32_001) - 1) // 64) + 1]
ids = np.array(own_vocabulary.encode(part))
bits = {}
for n_before in (1, 3, 5):
    counted = language_model.logits_by_counting(own, part, n_before, own_vocabulary)
    bits[f"counts after {n_before}"] = bits_per_character(surprise(counted, ids[n_before:]))
logits = own_model.forward(ids[:-1].reshape(-1, 64)).reshape(-1, len(own_vocabulary))
bits["the model"] = bits_per_character(surprise(logits, ids[1:]))

# %% tags=["hide-input"]
language_model.show_bits(bits)

# %% [markdown]
# On Shakespeare, which was read here, the order of the rivals changes. After five characters there often comes a
# character that has never followed them in the text, and for that a table gives hardly any probability. The longer the
# context, the more text a table needs. The model has read 150,000 characters in some seconds, and is a little better
# than counts after one. But that was not its end: a model of six
# layers and 384 features is known to reach 2.12 bits on Shakespeare (nanoGPT's README: 1.47 nats).
#
# **What is between this and a large model?** Mostly size. A decoder layer has about $12 D^2$ parameters, $4 D^2$ in
# attention and $8 D^2$ in the feed-forward network, and per token each of them is used in one multiplication forward
# and two backward. (Scores and weighted means of attention are not counted.)
#
# | | layers | $D$ | parameters | multiplications per token, forward | text it learned from |
# |---|--:|--:|--:|--:|--:|
# | this notebook | 2 | 64 | 0.1 million | 0.1 million | 0.4 million characters |
# | GPT-2 small (Radford et al. 2019) | 12 | 768 | 124 million | 0.12 billion | 40 GB |
# | GPT-2 | 48 | 1,600 | 1,558 million | 1.6 billion | 40 GB |
#
# Kaplan et al. (2020) measured that the loss falls as a power of each of the three: parameters, text and
# multiplications. Ten times the parameters lower it by about the same share every time, and some of these trends hold
# over more than seven orders of magnitude. The layers are the ones that you have written. (GPT-2 learns its positions,
# has GELU where the paper has ReLU, and reads byte pairs instead of characters.)
#
# ## Three questions
#
# **1.** One model of a text has 0.65 nats per character. Another reads words and has 3.2 nats per word. Words have 5.2
# characters on average, with their spaces. Which predicts the text better?
#
# <details><summary>Answer</summary>
#
# Bring both to the same unit, best to bits per character: $0.65 / \ln 2 = 0.94$ and $3.2 / 5.2 / \ln 2 = 0.89$. The
# second. Perplexities, $e^{0.65} = 1.9$ and $e^{3.2} = 24.5$, may only be compared between models with the same tokens.
#
# </details>
#
# **2.** Somebody forgot the causal mask, and the loss falls to almost 0. What does the model compute?
#
# <details><summary>Answer</summary>
#
# It copies. Position $t$ sees the character at $t + 1$, which is its own target, so one head that looks one step
# ahead is enough. The text that it writes is nonsense, because in writing there is no character ahead. A loss far
# below that of every rival is a reason to look for such a leak ([notebook 18b](18b_bugs_in_the_data.ipynb)).
#
# </details>
#
# **3.** The training loss begins near 5.4 nats. A model that knows nothing has 3.76. How can a new model be worse, and what
# does it expect? (Look at the sample before the first update, and at `logits` of a new model.)
#
# <details><summary>Answer</summary>
#
# It is sure that the character that it has just read comes again. The same table reads and scores characters, so the
# logit of a character is large where its own row has just come in, and the random layers change little of that. In
# nearly all places it is wrong. Two tables instead of one begin close to 3.76 ([notebook
# 14b](14b_where_the_loss_starts.ipynb)).
#
# </details>

# %% [markdown]
# **You can now**
#
# - train a decoder on any text, and say what it reads and what it predicts;
# - measure the surprise of each character in nats and in bits, and compare a model with counting;
# - say what changes between a small language model and a large one, and what does not.
#
# Next: [notebook 24](24_generating_text.ipynb), where the model writes.
