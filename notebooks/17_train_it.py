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
# # 17 A first run
#
# **The idea:** a Transformer is a function with many numbers in it. Show it questions and answers, move the numbers a
# little each time, and it learns the answer to questions that it has never seen.
#
# Paper: figure 1, the whole of it; sections 3 and 5 in one breath.
#
# **What you need before:** Python, and matrices as you meet them in a first course. Nothing about Transformers: the
# other notebooks open the boxes that this one only uses.
# About 25 minutes to read and run, 45 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.datasets import sequences

# %% [markdown]
# ## A language that you can check
#
# You want to watch a model learn to translate, and to be sure at once whether it is right. So take a language in which
# every sentence is a row of digits, and its translation is the same row read from the right. `sequences.split` makes
# 4,000 pairs to learn from and 200 to be tested on. No sentence is in both.

# %%
train, held_out = sequences.split("reverse", n_train=4000, n_held_out=200, min_length=3, max_length=7)
for pair in train[:3]:  # change the 3 to 10 and run it again
    print(f"{pair.source:>13}  ->  {pair.target}")
assert not {pair.source for pair in train} & {pair.source for pair in held_out}

# %% [markdown]
# A model reads numbers, so each token (here: each digit) gets an id. The first four ids are the same in every
# vocabulary of npformer: padding, unknown, begin, end.

# %%
from npformer.text import Vocabulary

vocabulary = Vocabulary.build(pair.source for pair in train)
print(vocabulary.tokens)
print("3 1 4 is read as", vocabulary.encode("3 1 4"))
assert len(vocabulary) == 4 + 10

# %% [markdown]
# ## The model
#
# This is the paper's figure 1, made small: one layer in each column instead of six, vectors of 32 numbers instead of
# 512. Every box of the figure is a file of npformer:
#
# | in figure 1, from the bottom up | file in `npformer/` | notebook |
# |---|---|---|
# | input and output embedding | `layers/embedding.py` | 07 |
# | positional encoding | `layers/positional_encoding.py` | 04, 04b |
# | multi-head attention | `layers/multi_head_attention.py`, `attention.py`, `softmax.py` | 01 to 03b |
# | masked multi-head attention | the same, with `layers/masks.py` | 01, 06 |
# | add and norm | `layers/add_norm.py`, `layer_norm.py` | 05c |
# | feed forward | `layers/feed_forward.py` | 06 |
# | encoder, decoder | `models/encoder.py`, `models/decoder.py` | 06 |
# | linear and softmax at the top | `layers/generator.py`, `loss.py` | 07 |
# | from probabilities to a sentence | `decoding/` | 08 |

# %%
config = npf.TransformerConfig.tiny(
    src_vocab_size=len(vocabulary),
    tgt_vocab_size=len(vocabulary),
    n_encoder_layers=1,  # change this to 2 and run it again
    n_decoder_layers=1,
    d_model=32,
    d_ff=64,
    dropout=0.0,
)
model = npf.Transformer(config, rng=4)
n_numbers = sum(parameter.data.size for parameter in model.parameters())
print(f"{n_numbers:,} numbers to learn, in {len(model.parameters())} arrays")

# %% [markdown]
# Here it is, drawn from this very model: on every arrow the shape of what flows there, for B sentences of S source
# tokens and T target tokens.

# %%
npf.visualization.figure_1(model)

# %% [markdown]
# "Target ids, shifted right": in training the right column reads the target too, behind `<bos>` and so one place late.
# At each place it must write the next token; a mask hides the later ones. So all places of a sentence are learned at
# once. Of one pair the model gets:

# %%
from npformer.tasks import TranslationBatch

source, target, _ = held_out[0]
batch = TranslationBatch.of([vocabulary.encode(source)], [vocabulary.encode(target)])
for name, ids in (("left reads", batch.src), ("right reads", batch.tgt_in), ("must write", batch.tgt_out)):
    print(f"{name:11}", *(f"{vocabulary.tokens[i]:>6}" for i in ids[0]))

# %% [markdown]
# In use there is no target to read: the right column starts from `<bos>` and reads what it has written itself.
#
# Before it has learned anything the model answers, but nonsense. `Translator` joins a model with its two vocabularies;
# here both are the same. `greedy_decode` writes ids, and always takes the most probable next token.

# %%
from npformer.decoding import greedy_decode
from npformer.tasks import Translator

translator = Translator(model, vocabulary, vocabulary)
[ids] = greedy_decode(model, np.array([translator.encode(source)]))
output = [vocabulary.tokens[i] for i in ids]
print(f"source {source}\noutput {' '.join(output[:7])} ...\nright  {target}")

# %% tags=["hide-input"]
assert set(output) == {"<bos>"}
assert translator.translate(source, beam=1) == [""]  # special tokens are no part of a sentence

# %% [markdown]
# It repeats itself: it starts from `<bos>` and stays there. To a fresh model the token that it has just read is the
# most probable next one, because the same table reads tokens and scores them (notebook 14).
#
# ## Training
#
# Two parts say what is learned, and are in `tasks/`:
#
# - **Batches** puts sentences of similar length together, about 128 tokens at a time;
# - the **objective** is the model with the loss on top. Its `forward` says how far the model's probabilities are from
#   the right tokens, its `backward`, through every layer, which way each number should move.
#
# Two say how, and are in `training/`:
#
# - **Adam** changes the numbers, with a learning rate that **WarmupSchedule** gives;
# - the **Trainer** repeats: batch, forward, backward, Adam. Each round is one *update*.
#
# `updates` yields a record after each update, so a training loop is a `for` that you can read. Six epochs,
# six times through all pairs, take some seconds.

# %%
from npformer.tasks import Batches, Objective
from npformer.training import Adam, Trainer, WarmupSchedule

pairs = [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in train]
batches = Batches(pairs, batch_tokens=128, seed=0)
schedule = WarmupSchedule.with_peak(0.01, config.d_model, warmup_steps=100)
adam = Adam(model.parameters(), learning_rate=schedule)
trainer = Trainer(Objective(model, label_smoothing=0.1), adam, batches)

losses = []
for record in trainer.updates(6):  # run it again: the loss continues from where it is
    losses.append(record.loss)
    if record.ends_epoch:
        print(f"epoch {record.epoch}   update {record.step:3}   loss {np.mean(losses[-20:]):.2f}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure, plot_loss

figure, ax = new_figure(height=3)
plot_loss(ax, range(1, len(losses) + 1), losses, label_smoothing=0.1)
figure

# %% [markdown]
# The loss of one token is $-\ln p$, where $p$ is the probability that the model gave to the right token. To know
# nothing costs $\ln 14 = 2.64$: a model that finds all 14 tokens equally probable gives each $1/14$, and
# $-\ln(1/14) = 2.64$. The first loss is higher, because the fresh model is sure of something wrong. It unlearns that
# within some twenty updates.
#
# The loss does not end at 0, and it should not. Label smoothing asks the model to leave a little belief for every wrong
# token (notebook 14), and the least loss that this allows is the entropy of what it asks for.

# %%
eps, V = 0.1, len(vocabulary)
right, wrong = 1 - eps + eps / V, eps / V
least = -right * np.log(right) - (V - 1) * wrong * np.log(wrong)
now = np.mean(losses[-20:])
print(f"first {losses[0]:.2f}; knowing nothing {np.log(V):.2f}; updates 21 to 40 {np.mean(losses[20:40]):.2f}")
print(f"last 20 updates {now:.2f}; least possible {least:.2f}")

# %% tags=["hide-input"]
assert losses[0] > np.log(V) + 1
assert abs(np.mean(losses[20:40]) - np.log(V)) < 0.6
assert least < now < least + 0.3

# %% [markdown]
# ## Did it learn, or did it learn by heart?
#
# The 200 sentences that were held out answer that: the model has not seen one of them. `translate` takes and returns
# plain text, and with `beam=1` it decodes greedily, as above.

# %%
outputs = translator.translate([pair.source for pair in held_out], beam=1)
n_right = sum(output == pair.target for output, pair in zip(outputs, held_out, strict=True))
for output, pair in list(zip(outputs, held_out, strict=True))[:3]:  # change the 3 to 10 and run it again
    print(f"{pair.source:>13}  ->  {output}")
print(f"{n_right} of {len(held_out)} right")
assert n_right >= 0.9 * len(held_out)

# %% [markdown]
# ## Where does it look?
#
# Nobody told the model how to turn a row round. Look at its cross-attention, the arrow from the left column of figure 1
# to the right one. Each row of the map below is a digit that the model writes, each column a digit that it reads; dark
# is where it looks. The layer looks four times side by side, with four *heads* (notebook 04); the map shows their mean.

# %%
from npformer.visualization import sentence_attention
from npformer.visualization.plots import map_size, plot_attention

looked = sentence_attention(translator, "3 1 4 1 5 9")  # change the digits and run it again
mean_of_heads = looked.cross[0].mean(0)  # (T, S)
figure, ax = new_figure(**map_size(looked.written, looked.source))
plot_attention(ax, mean_of_heads, looked.written, looked.source)
ax.set(xlabel="digit that is read", ylabel="digit that is written")
figure

# %% [markdown]
# The model has found the rule itself: to write the first digit it looks at the last, and so on to the left. It has
# found the *places*, not the digits alone: there are two ones in the row, and each time it looks more at the one that
# it needs.

# %% tags=["hide-input"]
places = mean_of_heads[:6, :6].argmax(1).tolist()  # without <eos>
print("written", looked.written)
print("looks at position", places)
assert looked.written == ["9", "5", "1", "4", "1", "3", "<eos>"]
assert sum(place == 5 - t for t, place in enumerate(places)) >= 5
assert places[2] == 3 and places[4] == 1  # the two ones

# %% [markdown]
# ## Where rules end
#
# The model has seen rows of three to seven digits. Give it nine.

# %%
longer = "1 2 3 4 5 6 7 8 9"  # change the digits and run it again
[output] = translator.translate(longer, beam=1)
print(f"source {longer}\noutput {output}\nright  {longer[::-1]}")
assert output != longer[::-1]

# %% [markdown]
# It has learned what the examples show, at the lengths that they show. The positions eight and nine never had a
# digit in training, so nothing ever told the model what to do there. Notebook 05 says more about positions.
#
# ## The same as a run
#
# This model is gone when you close the notebook. `npf.runs` does all of the above with a folder behind it, as
# `npformer train` does from the command line: settings, vocabularies, weights and the place in the training are kept.
# Take another language, in which the translation of a row is the row sorted. `begin` knows it by its name, and makes
# a new folder, `runs/sort`. Train for 50 updates, and leave:

# %%
sizes = {"n_encoder_layers": 1, "n_decoder_layers": 1, "d_model": 32, "d_ff": 64}
run = npf.runs.begin("sort", epochs=1, learning_rate=0.005, warmup_steps=100, **sizes)
for update in run.updates():
    if update.step == 50:
        break
run.save()
print(f"left in epoch {update.epoch} at update {update.step}, loss {update.loss:.2f}")

# %% [markdown]
# Tomorrow, or in another Python, the run continues where it was. `updates` yields after each update, `epochs` after
# each epoch. What it has learned can be loaded from the folder:

# %%
run = npf.runs.resume(run.folder.path)
assert run.trainer.optimizer.steps == 50
for epoch in run.epochs():
    print(f"epoch {epoch.epoch}   update {epoch.step}   loss {epoch.loss:.2f}   held out {epoch.held_out_loss:.2f}")

# %%
translate = npf.runs.load(run.folder.path).translate
rows = ["7 3 9 1 5", "2 7 1 8 3", "3 1 4 1 5 9"]  # change these, or epochs above to 2, and run it again
for row, output in zip(rows, translate(rows), strict=True):
    print(f"{row:11}  ->  {output:11}  {'right' if output.split() == sorted(row.split()) else 'wrong'}")

outputs = translate([pair.source for pair in run.held_out[:200]])
wrong = [pair.source.split() for pair, output in zip(run.held_out, outputs, strict=False) if output != pair.target]
n_repeated = sum(len(set(row)) < len(row) for row in wrong)
print(f"{len(wrong)} of 200 held-out rows wrong; in {n_repeated} of these a digit occurs more than once")

# %% tags=["hide-input"]
assert epoch.held_out_loss < 0.8 and (run.settings.epochs > 1 or len(wrong) > 40) and n_repeated > 0.9 * len(wrong)

# %% [markdown]
# The model sorts, but counts badly: a digit that occurs more than once is mostly written too seldom, as the 1 in the
# third row. A second epoch leaves about ten rows wrong. (The held-out loss is the lower of the two: it is of the
# epoch's end, and its labels are not smoothed.)
#
# ## Three questions
#
# **1.** To know nothing cost 2.64 here. What does it cost with a vocabulary of 825 words, as the phrasebook has, and
# what would a first loss of 20 tell you?
#
# <details><summary>Answer</summary>
#
# $\ln 825 = 6.7$, because each token gets $1/825$. A first loss of 20 means that the fresh model is very sure of wrong
# things: its scores start far too large. Compare the first loss of any new model with $\ln V$; it costs nothing.
#
# </details>
#
# **2.** Why are 200 sentences kept from training? What could you not tell if they had been in it?
#
# <details><summary>Answer</summary>
#
# Whether the model knows the rule or the list. With enough numbers it could store all 4,000 pairs and know nothing
# about a new one. Only sentences that it never saw can tell the two apart.
#
# </details>
#
# **3.** Change `"reverse"` to `"copy"` or `"sort"` in the cell at the top and run all again. What will the map look
# like? Decide before you run.
#
# <details><summary>Answer</summary>
#
# With `copy` the dark cells run down from the top left: the first digit looks at the first. With `sort` there is no
# fixed line: the smallest digit may stand anywhere, so the map differs for each sentence, and each written digit looks
# where such digits stand. The check after the map is about `reverse`; it stops you there, as it should.
#
# </details>
#
# Next: [notebook 02](02_attention_by_hand.ipynb), what the map in the last picture is made of.
#
# Write it yourself: exercise numpy, the NumPy that all later exercises need. `npformer course start my-course` begins
# the course.
