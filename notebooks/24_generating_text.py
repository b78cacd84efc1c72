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
# # 24 Generating text
#
# **The idea.** A language model gives each next character a probability. Draw one, append it to the text, and ask
# again: that is writing. How you draw decides how the text reads.
#
# Paper: section 3.1, for the one token at a time; the rest is newer (Holtzman et al. 2020). Code:
# `npformer/decoding/sampling.py` and `text_generator.py`. Before this: [notebook 23](23_language_modeling.ipynb),
# whose model is used here after a longer training, [notebook 19](19_decoding.ipynb), decoding, and
# [notebook 25](25_kv_cache.ipynb), the KV cache. About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.train_german_letters import FOLDER

# %% [markdown]
# ## The model
#
# It is that of notebook 23: characters of the phrasebook's German, two decoder layers of width 64. Only its training
# was longer: 5,600 updates with batches of 1,024 characters, in the place of 1,600 with 256. That takes more than a
# minute, so it is not done here: `notebooks/helpers/train_german_letters.py` did it, and the run folder that it wrote is
# loaded.

# %%
writer = npf.runs.load(FOLDER)  # notebooks/helpers/trained/german_letters
model, vocabulary = writer.model, writer.text
[train], [held_out] = npf.datasets.get("german").load("train", "held_out")
loss = npf.tasks.evaluate(writer, [held_out]).loss
print(f"{model.n_parameters:,} parameters, held-out loss {loss:.2f} nats per character")


# %% tags=["hide-input"]
def shown(text):
    return [{" ": "␣", "\n": "↵"}.get(character, character) for character in text]


# %% [markdown]
# ## From probabilities to a text
#
# Ask for the first letter of a sentence, that is, for the character after a line end. The temperature $\tau$ divides
# the logits before softmax (notebook 19):


# %%
from npformer.decoding import CachedDecoder, Sampler
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color


def next_logits(prompt):
    logits = CachedDecoder(model).read(np.array([vocabulary.encode(prompt)]))[0, 0]  # (V,)
    logits[:4] = -np.inf  # the special tokens are not text
    return logits


def tempered(logits, temperature):
    z = logits.astype(float) / temperature
    p = np.exp(z - z.max())
    return p / p.sum()


logits = next_logits("\n")  # change this to "\nDer " and run it again
p = tempered(logits, 1)
best = np.argsort(-p)[:14]
names = shown(vocabulary.tokens[i] for i in best)
figure, axes = new_figure(1, 3, width=10, height=2.8)
for ax, temperature in zip(axes, (0.5, 1, 2), strict=True):
    ax.bar(names, tempered(logits, temperature)[best], color=main_color())
    ax.set(title=f"temperature {temperature}", ylim=(0, 1))
    ax.tick_params(axis="x", length=0)
axes[0].set_ylabel("P(first letter)")
figure

# %% [markdown]
# Below 1 the probable characters gain, above 1 the improbable. Two other settings cut off the tail, in which each
# character is rare but all together are not: `top_k` keeps the $k$ most probable; `top_p` (Holtzman et al. 2020)
# keeps the fewest that have together the probability $p$. What is kept is scaled up to 1. By hand:


# %%
def kept_of_top_k(p, k):
    return np.argsort(-p)[:k]


def kept_of_top_p(p, least):
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]  # the sum over more probable ones
    return order[before < least]


def cut(p, kept):
    only = np.zeros_like(p)
    only[kept] = p[kept]
    return only / only.sum()


by_hand = {
    "top_k = 3": (cut(p, kept_of_top_k(p, 3)), {"top_k": 3}),
    "top_p = 0.8": (cut(p, kept_of_top_p(p, 0.8)), {"top_p": 0.8}),
    "temperature 0.5": (tempered(logits, 0.5), {"temperature": 0.5}),
}
n = 20_000  # change this to 200 and run it again: the check fails
for name, (expected, setting) in by_hand.items():
    drawn = np.bincount(Sampler(rng=0, **setting)(np.repeat(logits[None], n, 0)), minlength=len(p)) / n
    print(f"{name:16s} by hand against {n:,} draws of Sampler: largest difference {abs(drawn - expected).max():.3f}")
    assert abs(drawn - expected).max() < 0.015 and not drawn[expected == 0].any()

# %% [markdown]
# The two differ where it matters. Where many characters are correct, `top_k` cuts good ones off; where one is
# correct, it lets incorrect ones in:

# %% tags=["hide-input"]
figure, axes = new_figure(2, 2, width=10, height=4.6)
cuts = {"top_k = 5": lambda p: kept_of_top_k(p, 5), "top_p = 0.9": lambda p: kept_of_top_p(p, 0.9)}
n_kept = {}
for row, prompt in zip(axes, ("\nDer ", "\nDer Hun"), strict=True):
    after = tempered(next_logits(prompt), 1)
    best = np.argsort(-after)[:20]
    for ax, (name, cut_off) in zip(row, cuts.items(), strict=True):
        kept = cut_off(after)
        n_kept[prompt, name] = len(kept)
        colors = [main_color() if i in kept else GREY for i in best]
        ax.bar(shown(vocabulary.tokens[i] for i in best), after[best], color=colors)
        ax.set_title(f'{name} after "{prompt[1:]}" keeps {len(kept)} (blue)', fontsize="medium")
        ax.tick_params(axis="x", length=0)
figure

# %% tags=["hide-input"]
assert n_kept["\nDer ", "top_k = 5"] == n_kept["\nDer Hun", "top_k = 5"] == 5
assert n_kept["\nDer ", "top_p = 0.9"] > 5 and n_kept["\nDer Hun", "top_p = 0.9"] == 1

# %% [markdown]
# ## Writing
#
# `TextGenerator` joins the model with its vocabulary, as `Translator` did in notebook 17. On the command line it is
# `npformer generate RUN "Der "`. A temperature of 0 means the most probable character every time.

# %%
import textwrap

for temperature in (0, 0.5, 1, 2):  # change "Der " below and run it again
    text = writer.generate("Der ", 210, temperature=temperature, rng=0)
    lines = textwrap.wrap("".join(shown("Der " + text)).replace("␣", " "), 76)
    print("\n".join(f"{temperature if i == 0 else '':<4} {line}" for i, line in enumerate(lines[:3])))

# %% [markdown]
# The same seed writes the same text, and another seed another one. Chance comes from `rng` alone:

# %%
first, again, other = (writer.generate("Der ", 60, rng=seed) for seed in (0, 0, 1))
print(repr(first))
print(repr(other))
assert first == again != other

# %% [markdown]
# At temperature 1 nearly every word is German (counted below). Not every sentence is: "Jeden Morgen sieht fern."
# lacks a subject. A model learns letters first, then words, and what belongs together over a whole sentence last.
# Which temperature is best? It depends on what you need. Generate 100 texts at each of several. Then count how many
# of their words are words, that is, are in the training text, how many sentences differ from each other, and how many
# are not in the training text. The loop is all there is to writing: read, draw, read what was drawn. Each `step`
# reads one character per text, because the keys and values of those before are in the cache
# ([notebook 25](25_kv_cache.ipynb)).

# %%
import re


def write_many(n_texts, n, choose):
    decoder, drawn = CachedDecoder(model), np.full((n_texts, 1), vocabulary.ids["\n"])
    columns = []
    for _ in range(n):
        logits = decoder.step(drawn)[:, 0]  # (B, V)
        logits[:, :4] = -np.inf
        drawn = choose(logits)[:, None]  # (B, 1)
        columns.append(drawn)
    return [vocabulary.decode(ids) for ids in np.concatenate(columns, 1)]


known_words, known_lines = set(re.findall(r"\w+", train)), set(train.split("\n"))
temperatures = (0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)
real_words, different, new = [], [], []
for temperature in temperatures:
    texts = write_many(100, 64, Sampler(temperature=temperature, rng=0))
    words = [word for text in texts for word in re.findall(r"\w+", text)[:-1]]  # the last may be cut off
    lines = [line for text in texts for line in text.split("\n")[:-1] if line]
    real_words.append(np.mean([word in known_words for word in words]))
    different.append(len(set(lines)) / max(len(lines), 1))
    new.append(np.mean([line not in known_lines for line in lines]))

figure, ax = new_figure(width=8, height=3.6)
for values, color, name in (
    (real_words, main_color(), "words that are words"),
    (different, GREEN, "sentences that differ from each other"),
    (new, ORANGE, "sentences not in the training text"),
):
    ax.plot(temperatures, 100 * np.array(values), "o-", color=color, linewidth=2, label=name)
ax.set(xlabel="temperature", ylabel="%", ylim=(0, 103))
ax.grid(alpha=0.3)
ax.legend()
figure

# %%
for temperature in (0.1, 1, 2):
    i = temperatures.index(temperature)
    print(f"{temperature:<4} words {real_words[i]:.2f}, different {different[i]:.2f}, new {new[i]:.2f}")

# %% tags=["hide-input"]
at = {temperature: i for i, temperature in enumerate(temperatures)}
assert real_words[at[0.25]] > 0.97 and real_words[at[1]] > 0.95 and real_words[at[2]] < 0.8
assert different[at[0.1]] < 0.9 * different[at[1]] and new[at[1]] > 0.8

# %% [markdown]
# A low temperature is safe and repeats itself; a high one has variety, and fewer and fewer words. Nearly every sentence
# is new, and that alone shows little: a sentence with a mistake in it is new, too.
#
# ## Where it looks while it writes
#
# Two of the four heads of each layer. Row $t$ is the position that has read the character at its left and is about to
# write the next one. Above the diagonal there is nothing: the future is hidden.

# %%
from npformer.visualization import attention_weights, sentence_attention
from npformer.visualization.plots import grid_size, plot_attention_grid

BEGUN = "\nDer Hund hilft dies"  # change this and run it again
looked = sentence_attention(writer, BEGUN)
names, heads = shown(looked.read), (1, 2)  # heads 2 and 3 of the picture: code counts from 0; the others are 0 and 3
n_layers = len(looked.decoder)
figure, axes = new_figure(n_layers, len(heads), **grid_size(names, names, n_layers, len(heads)))
plot_attention_grid(axes, looked.decoder, names, names, heads=heads)
figure

# %%
print(f"after {BEGUN[-4:]!r} it expects {looked.written[-1]!r}")
assert np.allclose(looked.decoder.sum(-1), 1, atol=1e-5) and not np.triu(looked.decoder, 1).any()
assert looked.written[:-1] == looked.read[1:]
assert looked.written[-1] == "e" or not BEGUN.endswith(" hilft dies")

# %% [markdown]
# After "dies" it expects "e", as in "diesem" and "dieser". Some heads look at the letters just before (head 3 of
# layer 1), some at the beginning of the word ("Hund" in head 2 of layer 1). But a map does not show what is needed
# (notebook 26). Here an experiment is easy: in a decoder `neighbors=r` lets a position see itself and the $r$
# characters before it, and nothing else (section 4 of the paper; in the encoder of notebook 28c half of them come
# after it). The weights stay.


# %%
from dataclasses import replace

from npformer.models import LanguageModel
from npformer.tasks import LanguageModelBatch


def surprise(model, batch):
    """Return what each character of a batch cost, in nats, (B, T), as in notebook 23."""
    logits = model.forward(batch.ids).astype(float)  # (B, T, V)
    logits -= logits.max(-1, keepdims=True)
    of_targets = np.take_along_axis(logits, batch.targets[..., None], -1)[..., 0]
    return np.log(np.exp(logits).sum(-1)) - of_targets


encoded = vocabulary.encode(held_out)
batch = LanguageModelBatch.collate([encoded[i : i + 65] for i in range(0, 200 * 64, 64)])

# %%
reaches = (1, 2, 4, 8, 16, 32, 63)

weights = attention_weights(model, batch.ids[:64]).decoder  # (layers, B, H, T, T)
nearness = [[np.diagonal(layer, -back, -2, -1)[..., 63 - 16 :].mean() for back in range(16)] for layer in weights]
restricted = []
for reach in reaches:
    short = LanguageModel(replace(model.config, neighbors=reach), rng=0).eval()
    short.load_state_dict(model.state_dict())
    restricted.append(float(surprise(short, batch)[:, 32:].mean()))

figure, axes = new_figure(1, 2, width=10, height=3.4)
for number, (row, color) in enumerate(zip(nearness, (main_color(), ORANGE), strict=True), 1):
    axes[0].plot(row, "o-", color=color, label=f"layer {number}, mean of its heads")
axes[0].set(xlabel="characters back (0: itself)", ylabel="attention weight", ylim=(0, None), title="where it looks")
axes[0].legend()
axes[1].plot(reaches, restricted, "o-", color=main_color(), linewidth=2)
axes[1].set(xscale="log", xlabel="characters back that it may see", ylabel="nats per character", ylim=(0, None))
axes[1].set_xticks(reaches, map(str, reaches), minor=False)
axes[1].set_xticks([], minor=True)
axes[1].set_title("what it needs")
for ax in axes:
    ax.grid(alpha=0.3)
figure

# %%
for reach, loss in zip(reaches, restricted, strict=True):
    print(f"sees {reach:2d} back in each layer: {loss:.2f} nats")
near = [float(sum(row[:8])) for row in nearness]
print("weight on the last 8 characters:", ", ".join(f"layer {i} {share:.2f}" for i, share in enumerate(near, 1)))
assert restricted[0] > 1.5 * restricted[-1] and restricted[:5] == sorted(restricted[:5], reverse=True)
assert near[0] > 0.7 and near[1] > 0.5 and restricted[3] > 1.05 * restricted[-1]

# %% [markdown]
# With one character back in each of two layers the model is little better than counts after one letter (2.03 nats in
# notebook 23). (The last number is less than the loss of the first cell, because only places 33 to 64 count here.) The
# last eight characters get most of the weight, and yet the loss falls on until 16 or 32: what is far away gets little
# weight, but not for nothing. More would be of no use here, because no sentence of the phrasebook depends on the one
# before.
#
# ## Three questions
#
# **1.** When its window is full, `TextGenerator` forgets half of it at once. Why not one character each time?
#
# <details><summary>Answer</summary>
#
# The positional encoding is in each cached key. If the window moves by one, every character is at another
# position, and the whole cache is of no use: each character would cost a whole window. To forget 32 costs one reading
# of 32, and then 32 characters are cheap: two positions are read per character, and not 64. The price: the model knows
# between 32 and 64 characters, not always 64.
#
# </details>
#
# **2.** You write with `top_p = 0.9` and raise the temperature from 1 to 2. Are more characters kept, or fewer?
#
# <details><summary>Answer</summary>
#
# More. The temperature comes first and makes the distribution flatter, so that it takes more characters to have 0.9
# together. `top_k` keeps as many as before, only with other shares.
#
# </details>
#
# **3.** At temperature 0 a long text repeats itself in the end, forever. Why must it, and why does beam search not
# help?
#
# <details><summary>Answer</summary>
#
# The next character is then a function of the window alone, and there are finitely many windows: one of them comes
# again, and everything after it too. The last cell measures after how many characters. Beam search finds texts that
# are *more* probable, and repetition is probable. What helps is to draw, or to forbid repetition. A translation does
# not have this problem, because its source ends.
#
# </details>

# %%
text = writer.generate("Der ", 2000, temperature=0)  # change "Der " to "Ich " and run it again
period = len(text) - 64 - text.rfind(text[-64:], 0, -1)  # since the last 64 characters were written before
print(f"at temperature 0 everything comes again after {period} characters")
kept = {temperature: len(kept_of_top_p(tempered(next_logits("\n"), temperature), 0.9)) for temperature in (0.5, 1, 2)}
print("kept of the first letters by top_p = 0.9, by temperature:", kept)
assert kept[0.5] < kept[1] < kept[2] and text[-period:] == text[-2 * period : -period]

# %% [markdown]
# Next: [notebook 24b](24b_couplets.ipynb), couplets.
#
# Write it yourself: exercises greedy and top_p. `npformer course start my-course` begins the course.
