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
# # 05 Positions
#
# **The idea:** attention sees a set of vectors, not a sequence, so order has to be written into the vectors.
#
# Paper: section 3.5, and row E of table 3. Code: `npformer/layers/positional_encoding.py` and
# `layers/extra/learned_positions.py`.
#
# **What you need before:** [notebook 04, many heads](04_many_heads.ipynb), for multi-head attention.
# About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import numpy as np

from npformer.layers import Embedding, SelfAttention, SinusoidalPositionalEncoding, causal_mask

rng = np.random.default_rng(0)

# %% [markdown]
# ## Order is invisible to attention
#
# Let $P$ be a matrix that puts rows into another order. A softmax over a row does not care in which order the row
# stands, and $P^\top P = I$. So if you shuffle the words, the results are shuffled, and nothing else happens:
#
# $$\mathrm{Attention}(PQ, PK, PV)
#   = \mathrm{softmax}\!\left(\frac{P Q K^\top P^\top}{\sqrt{d_k}}\right) P V
#   = P\,\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) P^\top P V
#   = P\,\mathrm{Attention}(Q, K, V)$$
#
# The projections $W^Q, W^K, W^V, W^O$ treat each row alike, and several heads change nothing about this. Two
# sentences of the same words show it. Both are put through one layer, once with and once without positions. The table
# has for each word the largest difference between its 16 numbers in the one result and in the other.

# %%
words = "the dog bites the man".split()
order = np.array([3, 4, 2, 0, 1])  # change the order and run it again
shuffled = [words[i] for i in order]
print(" ".join(words), " ->  ", " ".join(shuffled))

vocabulary = sorted(set(words))
ids = np.array([[vocabulary.index(word) for word in words]])  # (1, 5)
embedding = Embedding(len(vocabulary), 16, rng=rng, dtype="float64")
attention = SelfAttention(16, 4, rng=rng, dtype="float64")
positions = SinusoidalPositionalEncoding(16, dtype="float64")

x = embedding.forward(ids)  # (1, 5, 16)
blind = abs(attention.forward(x[:, order]) - attention.forward(x)[:, order]).max(-1)[0]
with_positions = attention.forward(positions.forward(x))[:, order]
seeing = abs(attention.forward(positions.forward(x[:, order])) - with_positions).max(-1)[0]

print("\nhow much a word's result changes when the order does")
print("       word   no positions   positions added")
for word, without, with_them in zip(shuffled, blind, seeing, strict=True):
    print(f"{word:>11} {without:14.1e} {with_them:17.2f}")

y = attention.forward(x)
assert blind.max() < 1e-12 < 0.01 < seeing.min()
assert np.allclose(y[:, 0], y[:, 3], rtol=0, atol=1e-12)  # the two "the" cannot be told apart

# %% [markdown]
# "The dog bites the man" and "the man bites the dog" are the same to bare attention.
#
# It is often said that a Transformer without positions cannot see order at all. That is true of the encoder. In
# the decoder the causal mask lets each position see another set of words, and so some order gets in. The next
# cell shuffles under a causal mask: the results are no longer the shuffled ones.

# %%
causal = causal_mask(len(words))
change = abs(attention.forward(x[:, order], causal) - attention.forward(x, causal)[:, order]).max()
print(f"under a causal mask the results change by up to {change:.2f}")
assert change > 0.01

# %% [markdown]
# ## How would you write a position?
#
# You could add the number of the position itself, $n$. Or $n$ divided by the length of the sentence, or the bits of
# $n$, one per feature. Two things are wanted. The numbers should be about as large as those of a word, which have a
# spread of 1. And one step should be the same everywhere, in short sentences and in long ones, or "the word before" has
# to be learned for each place again. Measure both, next to the paper's answer:

# %%
from npformer.layers.positional_encoding import sinusoids


def four_tables(length):
    n = np.arange(length)[:, None]  # (length, 1)
    return {"n": n, "n / length": n / length, "bits of n": n >> np.arange(10) & 1, "sinusoids": sinusoids(length, 128)}


for length in (20, 600):  # change the 600 to 1000 and run it again
    print(f"a sentence of {length} words")
    for name, table in four_tables(length).items():
        steps = np.linalg.norm(np.diff(table, axis=0), axis=1)  # from each position to the next
        print(f"  {name:10}   largest number {table.max():6.2f}   steps of {steps.min():.3f} to {steps.max():.3f}")
        assert name != "sinusoids" or (table.max() <= 1 and np.allclose(steps, steps[0]))

# %% [markdown]
# $n$ drowns the words: 599 next to a spread of 1. With $n$ / length a step is 0.05 in one sentence and 0.002 in the
# other. Bits are never larger than 1, but from 7 to 8 four of them flip (0111, 1000), from 8 to 9 one. Only the last
# line passes both tests. It is not far from the bits: the last bit changes with every step, the one before with every
# second, the first hardly ever. Give these fast and slow features soft edges, and they are waves.
#
# ## The paper's answer: add waves
#
# Each position gets a vector as wide as the embedding, and the two are added. The features come in pairs, the
# sine and the cosine of one wave:
#
# $$PE_{(pos,\,2i)} = \sin\!\left(\omega_i\,pos\right), \qquad PE_{(pos,\,2i+1)} = \cos\!\left(\omega_i\,pos\right),
# \qquad \omega_i = 10000^{-2i/d_{model}}$$
#
# `sinusoids(max_len, d_model)` is this table. One row is one position. In the columns on the left neighboring rows
# differ much, in those on the right hardly at all.

# %%
from helpers.pictures import plot_positions
from npformer.visualization.plots import new_figure

table = sinusoids(60, 128)  # change the 60 to 500 and run it again
print("table", table.shape)
figure, ax = new_figure(width=8, height=3.6)
plot_positions(ax, table)
figure

# %% [markdown]
# The same table as waves, for six of its 64 pairs. Dots are the positions; the text on the right gives the
# wavelength.

# %% tags=["hide-input"]
from helpers.pictures import plot_position_waves

figure, ax = new_figure(width=8, height=3.8)
plot_position_waves(ax, 128)
figure

# %% [markdown]
# Each pair is also the hand of a clock: its end is as far to the right as the sine, and as far up as the cosine. Here
# are the eight hands of 16 features. Go from position 10 to 11, 12 and so on by the arrow keys: which hands can tell
# neighbors apart? Then compare 73 with 10: which hands are back where they were, and which tell the two apart? At last
# read the dot product of 5 with 0, and of 50 with 45.

# %% tags=["hide-input"]
from helpers.live_figures import live_clock_hands

live_clock_hands(16)

# %% [markdown]
# Where the fastest hand is back after ten turns and the third after one, the second and the fourth are not. And the dot
# product depends on the distance only, here 5: [notebook 05b](05b_sinusoids_measure_distance.ipynb) is about that.
#
# ## With positions and without
#
# Is it of use? Train a small model to write four to six digits in reverse order, where order is everything, once as
# it is and once with a layer that adds nothing in place of the positions. Guess what the second one will write.

# %%
import npformer as npf
from npformer.datasets import sequences


def encoded(pairs):
    """Return the ids of source and target of each pair; digit n has the id 4 + n."""
    return [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]


pairs, held_out = map(encoded, sequences.split("reverse", n_train=1000, n_held_out=200, max_length=6))
sizes = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}


def new_model(positions="sinusoidal"):
    config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, positions=positions, **sizes)
    return npf.Transformer(config, rng=0)


EPOCHS = 20  # change this to 40 and run the rest again: which model gains most?


def train(model):
    rate = npf.training.WarmupSchedule.with_peak(0.005, 32, 100)
    adam = npf.training.Adam(model.parameters(), learning_rate=rate)
    objective = npf.tasks.Objective(model, label_smoothing=0.0)
    batches = npf.tasks.Batches(pairs, batch_tokens=512)
    for _ in npf.training.Trainer(objective, adam, batches).updates(EPOCHS):
        pass


def test(name, model, pairs, n_shown=3):
    """Print and return the share of pairs that the model writes right, and with the right digits in any order."""
    written = [npf.decoding.greedy_decode(model, np.array([[*source, 3]]))[0] for source, _ in pairs]  # 3: <eos>
    both = [(ids, target) for ids, (_, target) in zip(written, pairs, strict=True)]
    right = np.mean([ids == target for ids, target in both])
    same_digits = np.mean([sorted(ids) == sorted(target) for ids, target in both])
    print(f"{name}: of {len(pairs)} new sequences {right:.0%} right, {same_digits:.0%} the digits in some order")
    for (source, _), ids in zip(pairs[:n_shown], written, strict=False):
        print("  ", *(i - 4 for i in source), " -> ", *(i - 4 for i in ids))
    return right, same_digits


# %%
class NothingAdded(npf.Module):
    def forward(self, x, start=0):
        return x

    def backward(self, dy):
        return dy


with_sinusoids, without = new_model(), new_model()
without.encoder.input_embedding.positions = without.decoder.input_embedding.positions = NothingAdded()
shares = {}
for name, model in (("with positions", with_sinusoids), ("without", without)):
    train(model)
    shares[name] = test(name, model, held_out)

# %% tags=["hide-input"]
assert shares["with positions"][0] > 0.8 and shares["without"][0] < 0.3 < shares["without"][1]

# %% [markdown]
# Without positions the model still finds out *which* digits to write, in most sequences all of them, and hardly ever
# their order: the encoder hands over a bag of digits.
#
# ## Learned positions
#
# The other way is a table that training fills, one row per position, as a vocabulary has one row per word. The paper
# tried it (table 3, row E): 25.7 BLEU (a score of translations, higher is better), against 25.8 with sinusoids, and the
# same perplexity of 4.92 (it measures the loss, lower is better; notebook 22). Put it in place of the waves, keep what
# its rows were before training, and train the same model again:

# %%
learned = new_model("learned")
rows = learned.encoder.input_embedding.positions.table  # (512, 32)
at_start = rows.data.copy()
train(learned)
shares["learned"] = test("learned", learned, held_out)
print(f"numbers to learn: {learned.n_parameters:,}, and with sinusoids {with_sinusoids.n_parameters:,}")

# %% [markdown]
# It works, but after the same short training it is behind the sinusoids, which are there from the first update on,
# while the table begins as noise. It also gains most from more training: with the 40 epochs proposed above it reaches
# 93%, against 99% with sinusoids, and in the paper the two came out nearly equal. So why did it prefer sinusoids? Look
# at how far each row has moved from where it started:

# %% tags=["hide-input"]
moved = np.linalg.norm(rows.data - at_start, axis=1)  # (512,)
figure, ax = new_figure(width=7, height=2.4)
ax.bar(range(16), moved[:16])
ax.set(xlabel="position", ylabel="distance from the start")
figure

# %%
print(f"rows that have moved: {(moved > 0).sum()} of {len(moved)}")
assert (moved[:7] > 0).all() and not moved[7:].any()
assert EPOCHS != 20 or 0.3 < shares["learned"][0] < shares["with positions"][0]

# %% [markdown]
# A row learns only from sentences that reach its position. The longest have six digits and `<eos>`: row 6 is the last
# to get a gradient, and all others stay the random numbers that they were. A sinusoid has its value at position 7 and
# at position 300 without any training. Is that enough? Ask both models for seven digits, one more than they have ever
# seen:

# %%
LENGTH = 7  # change this to 5 and to 20 and run it again
_, longer = map(encoded, sequences.split("reverse", n_train=1, n_held_out=200, min_length=LENGTH, max_length=LENGTH))
for name, model in (("sinusoids", with_sinusoids), ("learned", learned)):
    shares[name + ", longer"] = test(name, model, longer, n_shown=2)
assert LENGTH < 7 or max(shares["sinusoids, longer"][0], shares["learned, longer"][0]) < 0.3

# %% [markdown]
# Both fail. The wave has a value at position 7, but the *rest* of the model never met it: what $W^Q$ and $W^K$ make
# of it was never trained. The paper is careful here, and says only that sinusoids "may allow the model to extrapolate
# to sequence lengths longer than the ones encountered during training".
#
# One limit is harder. Beyond its last row a learned table has no row at all, and no rule by which to make one:

# %%
import textwrap

from npformer import InputError
from npformer.layers import LearnedPositionalEncoding

short_table = LearnedPositionalEncoding(64, max_len=32, rng=rng)
try:
    short_table.forward(np.zeros((1, 33, 64), "float32"))  # change the 33 to 32 and run it again
except InputError as error:
    print(textwrap.fill(str(error), 84))

# A longer table of sinusoids begins with the shorter one.
assert np.array_equal(sinusoids(1000, 64)[:32], sinusoids(32, 64))

# %% [markdown]
# Our sinusoidal layer has a `max_len` too, but only as the size of a table made in advance: a longer one begins with
# the same rows, and you can make it after training. So the preference is a modest one: the same quality, nothing to
# learn, and a value for every position. Other models took the table: BERT has one of 512 rows, GPT-2 one of 1,024,
# and they read nothing longer.
#
# ## Three questions
#
# **1.** You delete the positions from a Transformer, and keep everything else. What can the encoder still know
# about a sentence?
#
# <details><summary>Answer</summary>
#
# Which words are in it, and how often each. Its memory is the same set of vectors for every order of the words;
# two equal words get equal vectors. The decoder knows a little more, because of its causal mask: position $t$
# sees $t + 1$ tokens.
#
# </details>
#
# **2.** Somebody concatenates instead of adding: a word has 512 numbers of its own and 512 for its position, and
# $W^Q$ has 1,024 rows. What is gained, and what does it cost?
#
# <details><summary>Answer</summary>
#
# $[x;\,p]\,W = x\,W_1 + p\,W_2$: words and positions get matrices of their own. Adding is the case $W_1 = W_2$, because
# $(x + p)\,W = x\,W + p\,W$. So concatenating can do more. It costs: every vector in the model is twice as wide, and
# so is every matrix that reads one. With 512 dimensions there is enough space for both in one vector (question 3).
#
# </details>
#
# **3.** The encoding is added to the embedding. Why does it not drown the meaning of the word?
#
# <details><summary>Answer</summary>
#
# Embeddings are multiplied by $\sqrt{d_{model}}$ (section 3.4), so that in this code their features start with a
# spread of 1, and a sinusoid's root mean square is $\sqrt{1/2}$: the two are of one size. The many slow waves are
# moreover nearly constant within a sentence. What is left, training can sort into different directions of the
# $d_{model}$-dimensional space, and the projections of each head can pick the one or the other. (Notebook 05b shows
# that a head which finds places needs this.)
#
# </details>
#
# ---
#
# Next: [notebook 05b](05b_sinusoids_measure_distance.ipynb), why the waves are these.
#
# Write it yourself: exercises embedding, positions. `npformer course start my-course` begins the course.
