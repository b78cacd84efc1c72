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
# # 12 Language modeling and text generation
#
# **The idea.** Leave the left column of figure 1 away. What remains says, at every place of a text, how likely each
# character is to come next. Draw one of them, put it behind the text, and ask again: that is writing.
#
# Paper: sections 3.1 and 3.2.3 for the decoder and its mask; the rest is newer (Radford et al. 2018). Code:
# `npformer/models/language_model.py`, `npformer/tasks/language_modeling.py`, `npformer/decoding/sampling.py` and
# `text_generator.py`. Before this: notebooks 06, the two columns, and 08, decoding. About an hour, of which the training
# takes half a minute.

# %%
# %matplotlib inline
import math
import re
import textwrap
import time
from collections import Counter
from dataclasses import replace

import numpy as np

from npformer import datasets
from npformer.datasets.download import own_folder
from npformer.decoding import CachedDecoder, Sampler, TextGenerator
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LanguageModelBatch, Objective, TextChunks, evaluate
from npformer.text import Vocabulary
from npformer.training import Adam, CosineSchedule, FlatParameters, Trainer
from npformer.utils.errors import InputError
from npformer.visualization import attention_weights, sentence_attention
from npformer.visualization.plots import grid_size, new_figure, plot_attention_grid
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

# %% [markdown]
# ## A text
#
# The phrasebook's German, a sentence per line: 20,000 sentences to learn from, and 500 others, held out, to be judged
# on. The tokens are characters. Spaces and line ends are characters like any other, and are shown as ␣ and ↵.

# %%
[train], [held_out] = datasets.find("german").load("train", "held_out")
vocabulary = Vocabulary.build([train], unit="characters", running=True)
V = len(vocabulary) - 4  # <pad>, <unk>, <bos> and <eos> do not stand in the text
print(train[:201])
print(f"{len(train):,} characters, {V} different ones; held out {len(held_out):,}")


def shown(text):
    return [{" ": "␣", "\n": "↵"}.get(character, character) for character in text]


assert not set(held_out) - set(vocabulary.tokens)

# %% [markdown]
# ## The right column alone
#
# Take the decoder of notebook 06. Without a source there is no memory, and so no cross-attention: each box has masked
# self-attention and a feed-forward network, nothing else. The same table reads characters and scores them. This one
# has two boxes of width 64, and LayerNorm is before each part (`norm="pre"`), as in most language models.


# %%
def fresh(vocabulary):
    config = LanguageModelConfig(
        vocab_size=len(vocabulary),
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_decoder_layers=2,
        dropout=0.0,
        norm="pre",
        max_len=64,
    )
    return LanguageModel(config, rng=0)


model = fresh(vocabulary)
n_numbers = sum(parameter.data.size for parameter in model.parameters())
print(f"{n_numbers:,} numbers to learn")
parts = dict.fromkeys(name.split(".")[0] for name, _ in model.decoder.layers[0].named_parameters())
print("a box has", ", ".join(parts))
assert list(parts) == ["self_attention", "feed_forward"]
assert all(layer.cross_attention is None for layer in model.decoder.layers)

# %% [markdown]
# ## Every next character at once
#
# What is to be foreseen is the text itself, one step on. No person has to label anything:

# %%
sentence = "Der Hund schläft."
batch = LanguageModelBatch.collate([vocabulary.encode(f"\n{sentence}\n")])
for name, ids in (("reads", batch.ids), ("foresees", batch.targets)):
    print(f"{name:9s}", " ".join(shown(vocabulary.decode(ids[0]))))
assert np.array_equal(batch.ids[0, 1:], batch.targets[0, :-1])

# %% [markdown]
# One forward gives a guess at every position, 18 questions for the price of one. This is honest only if no position
# sees its own answer, and that is the work of the causal mask. The test: change all characters from the ninth on. What
# was computed at the first eight must stay as it was, to the last bit.

# %%
changed = batch.ids.copy()
changed[:, 8:] = vocabulary.ids["z"]
with model.evaluating():
    logits = [model.forward(ids) for ids in (batch.ids, changed)]  # (1, T, V) each
same = [bool(np.array_equal(logits[0][:, t], logits[1][:, t])) for t in range(batch.ids.shape[1])]
print("same logits:", "".join("=" if is_same else "x" for is_same in same))
assert same == [True] * 8 + [False] * (len(same) - 8)

# %% [markdown]
# The loss is the mean surprise: with $N$ characters to be foreseen,
#
# $$L = -\frac{1}{N} \sum_{t} \ln P(x_{t+1} \mid x_1, \dots, x_t)$$
#
# ## What is a good loss?
#
# A number needs something to compare it with. Who knows nothing gives each of $V$ characters $1/V$, and loses $\ln V$.
# Everybody else may count in the training text: how often is each character, and how often does it follow the one
# before, the three before, the five before? A hundredth is added to each count, for a probability of 0 would cost an
# infinite loss.


# %%
def by_counting(n, train, held_out):
    """Return the held-out loss of counts that know n characters, and how many contexts they have to remember."""
    more, size = Counter(train[i : i + n + 1] for i in range(len(train) - n)), len(set(train))
    contexts = Counter(train[i : i + n] for i in range(len(train) - n))
    pieces = [held_out[i - n : i + 1] for i in range(n, len(held_out))]
    ps = [(more[piece] + 0.01) / (contexts[piece[:n]] + 0.01 * size) for piece in pieces]
    return -float(np.mean(np.log(ps))), len(contexts)


KNOWN = {0: "counts of letters", 1: "counts after 1 letter", 3: "counts after 3", 5: "counts after 5"}
counted = {name: by_counting(n, train, held_out) for n, name in KNOWN.items()}
rivals = {"knows nothing": math.log(V), **{name: loss for name, (loss, _) in counted.items()}}
for name, loss in rivals.items():
    rows = f"{counted[name][1]:6,d} contexts" if name in counted else ""
    print(f"{name:22s} {loss:.2f} nats  {rows}")
assert list(rivals.values()) == sorted(rivals.values(), reverse=True)

# %% [markdown]
# ## Training
#
# `TextChunks` cuts the text into pieces of 64 characters, elsewhere in each epoch, and hands out ten of them at a time.
# The rest is that of notebook 07, less the softened labels, because here the probabilities themselves are wanted, and
# with a rate that rises as it does there, but falls along a cosine (`CosineSchedule`).


# %%
def learn(model, vocabulary, text, n_updates):
    stretches = TextChunks(vocabulary.encode(text), length=model.config.max_len, batch_tokens=640)
    schedule = CosineSchedule(0.005, warmup_steps=n_updates // 16, decay_steps=n_updates, final=0.0005)
    adam, losses = Adam(FlatParameters(model.parameters()), learning_rate=schedule), []
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, stretches).updates(10):
        losses.append(record.loss)
        if record.step == n_updates:
            break
    model.eval()
    return losses


losses = learn(model, vocabulary, train, 1600)
writer = TextGenerator(model, vocabulary)
found = evaluate(writer, [held_out])
print(found.table())

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=10, height=3.8)
axes[0].plot(losses, color=GREY, alpha=0.35, linewidth=0.8)
axes[0].plot(running_mean(losses, 32), color=main_color(), linewidth=2)
for name in ("knows nothing", "counts of letters", "counts after 1 letter", "counts after 3"):
    axes[0].axhline(rivals[name], color=ORANGE, linestyle="--", linewidth=1)
    note = {"xytext": (-2, 3), "textcoords": "offset points", "ha": "right", "fontsize": 8, "color": ORANGE}
    axes[0].annotate(name, (len(losses), rivals[name]), **note)
axes[0].set(xlabel="update", ylabel="nats per character", ylim=(0, None), title="training loss")
bars = {**rivals, "the model": found.loss}
colors = [ORANGE] * len(rivals) + [main_color()]
drawn = axes[1].barh(list(bars), list(bars.values()), color=colors)
axes[1].bar_label(drawn, [f"{value:.2f}" for value in bars.values()], padding=3)
axes[1].invert_yaxis()
axes[1].set(xlabel="nats per character", xlim=(0, 4.6), title="held-out loss")
figure

# %%
assert found.loss < rivals["counts after 3"] - 0.1
assert losses[0] > rivals["knows nothing"] - 0.5

# %% [markdown]
# On its way down the model passes one rival after the other: first it sees which letters are frequent, then which stand
# together, then words. But look at the last orange bar. Counts after five letters are better! There are two reasons.
# The phrasebook has few words, so that whole words can be remembered; in real text it is not so, as the end of this
# notebook shows. And the counts always know their five letters, while the model is judged on stretches of 64
# characters and begins each of them in the dark. How much that costs will be measured, too.
#
# ## One number in three units
#
# - **nats per character**, $L$: what training minimizes;
# - **bits per character**, $L / \ln 2$: how short an ideal code could write the text with the model's help;
# - **perplexity**, $e^L$: among how many equally likely characters one would be as unsure.

# %%
print(f"by hand   nats {found.loss:.3f}, bits {found.loss / math.log(2):.3f}, perplexity {math.exp(found.loss):.3f}")
print(f"by class  nats {found.loss:.3f}, bits {found.bits_per_character:.3f}, perplexity {found.perplexity:.3f}")
print(f"knowing nothing has a perplexity of {math.exp(rivals['knows nothing']):.0f} and takes {math.log2(V):.2f} bits")
assert math.isclose(found.bits_per_character, found.loss / math.log(2))
assert math.isclose(found.perplexity, math.exp(found.loss))

# %% [markdown]
# A mean hides where the surprise is. Here is a held-out sentence, and how many bits each of its characters cost:

# %%
line = next(line for line in held_out.split("\n") if "dass" in line and 45 < len(line) < 60)
text = f"\n{line}\n"
batch = LanguageModelBatch.collate([vocabulary.encode(text)])


def surprise(model, batch):
    """Return what each character of a batch cost, in nats, (B, T)."""
    logits = model.forward(batch.ids).astype(float)  # (B, T, V)
    logits -= logits.max(-1, keepdims=True)
    of_right_ones = np.take_along_axis(logits, batch.targets[..., None], -1)[..., 0]
    return np.log(np.exp(logits).sum(-1)) - of_right_ones


[nats] = surprise(model, batch)  # (T,)
bits = nats / math.log(2)
begins = np.array([before in " \n" for before in text[:-1]])
figure, ax = new_figure(width=10, height=3)
ax.bar(range(len(bits)), bits, color=np.where(begins, ORANGE, main_color()))
ax.set_xticks(range(len(bits)), shown(text[1:]))
ax.tick_params(axis="x", length=0)
ax.set(ylabel="surprise in bits", xlim=(-0.7, len(bits) - 0.3), title="orange: the first letter of a word")
figure

# %%
print(f"first letters of words {bits[begins].mean():.2f} bits, all others {bits[~begins].mean():.2f}")
assert bits[begins].mean() > 2 * bits[~begins].mean()

# %% [markdown]
# Words begin with a surprise, and a letter or two later there is mostly one way on. The other tall bars are endings:
# "jede" could have continued as "jeden". What a text says is decided at few places.
#
# ## From probabilities to a text
#
# Ask for the first letter of a sentence, that is, for the character after a line end. The temperature $\tau$ divides
# the logits before softmax (notebook 08):


# %%
def next_logits(prompt):
    logits = CachedDecoder(model).read(np.array([vocabulary.encode(prompt)]))[0, 0]  # (V,)
    logits[:4] = -np.inf  # the special tokens are no text
    return logits


def tempered(logits, temperature):
    z = logits.astype(float) / temperature
    p = np.exp(z - z.max())
    return p / p.sum()


logits = next_logits("\n")
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
# Below 1 the likely gain, above 1 the unlikely. Two other knobs cut off the tail, in which each character is rare but
# all together are not: `top_k` keeps the $k$ most probable; `top_p` (Holtzman et al. 2020) keeps the fewest that have
# together the probability $p$. What is kept is scaled up to 1. By hand:


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
n = 20_000
for name, (expected, setting) in by_hand.items():
    drawn = np.bincount(Sampler(rng=0, **setting)(np.repeat(logits[None], n, 0)), minlength=len(p)) / n
    print(f"{name:16s} by hand against {n:,} draws of Sampler: largest difference {abs(drawn - expected).max():.3f}")
    assert abs(drawn - expected).max() < 0.015 and not drawn[expected == 0].any()

# %% [markdown]
# The two differ where it matters. Where many characters are right, `top_k` cuts good ones off; where one is right, it
# lets wrong ones in:

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

# %%
assert n_kept["\nDer ", "top_k = 5"] == n_kept["\nDer Hun", "top_k = 5"] == 5
assert n_kept["\nDer ", "top_p = 0.9"] > 5 and n_kept["\nDer Hun", "top_p = 0.9"] == 1

# %% [markdown]
# ## Writing
#
# `TextGenerator` joins the model with its vocabulary, as `Translator` did in notebook 00. On the command line it is `npformer
# generate RUN "Der "`. A temperature of 0 stands for the most probable character every time.

# %%
for temperature in (0, 0.5, 1, 2):
    text = writer.write("Der ", 210, temperature=temperature, rng=0)
    lines = textwrap.wrap("".join(shown("Der " + text)).replace("␣", " "), 76)
    print("\n".join(f"{temperature if i == 0 else '':<4} {line}" for i, line in enumerate(lines[:3])))

# %% [markdown]
# The same seed writes the same text, and another seed another one. Chance comes from `rng` alone:

# %%
first, again, other = (writer.write("Der ", 60, rng=seed) for seed in (0, 0, 1))
print(repr(first))
print(repr(other))
assert first == again != other

# %% [markdown]
# The words are German at temperature 1, the sentences not yet: agreement over a whole sentence is learned last. Which
# temperature is best? It depends on what you want. Let 100 texts be written at each of several. Then count how many of
# their words are words, that is, stand in the training text, how many sentences differ from each other, and how many
# stand nowhere in the training text. The loop is all there is to writing: read, draw, read what was drawn.


# %%
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
at = {temperature: i for i, temperature in enumerate(temperatures)}
for temperature in (0.1, 1, 2):
    i = at[temperature]
    print(f"{temperature:<4} words {real_words[i]:.2f}, different {different[i]:.2f}, new {new[i]:.2f}")
assert real_words[at[0.25]] > 0.97 and real_words[at[2]] < 0.6
assert different[at[0.1]] < 0.9 * different[at[1]] and new[at[1]] > 0.8

# %% [markdown]
# A low temperature is safe and repeats itself; a high one has variety, and fewer and fewer words. Nearly every sentence
# is new, and that alone shows little: a sentence with a mistake in it is new, too.

# %% [markdown]
# ## The cache: why one step costs little
#
# To write a character, a plain decoder reads the whole text so far. With the keys and values of all earlier positions
# at hand (notebook 08) it reads one character. A model with a longer window shows the difference better. The
# arithmetic does not depend on the weights, so it need not be trained. The picture shows what *your* machine takes.

# %%
N = 256
long = LanguageModel(replace(model.config, max_len=N), rng=0).eval()
ids = np.array([vocabulary.encode(train[:N])])  # (1, N)
seconds, decoder, largest = {"without a cache": [], "with it": []}, CachedDecoder(long), 0.0
for t in range(1, N + 1):
    began = time.perf_counter()
    y = long.decoder.forward(ids[:, :t], None, np.tri(t, dtype=bool))  # (1, t, D)
    plain = long.generator.forward(y[:, -1:])  # (1, 1, V)
    between = time.perf_counter()
    stepwise = decoder.step(ids[:, t - 1 : t])  # (1, 1, V)
    seconds["without a cache"].append(between - began)
    seconds["with it"].append(time.perf_counter() - between)
    largest = max(largest, float(abs(plain - stepwise).max()))

figure, ax = new_figure(width=8, height=3.6)
for (name, each), color in zip(seconds.items(), (ORANGE, main_color()), strict=True):
    lowest = 1000 * np.array(each).reshape(-1, 16).min(1)  # of 16 in a row: what else the machine does is left out
    label = f"{name}: {N / sum(each):,.0f} a second"
    ax.plot(np.arange(8, N, 16), lowest, "o-", color=color, markersize=4, label=label)
ax.set(xlabel="characters so far", ylabel="ms for one more", ylim=(0, None))
ax.grid(alpha=0.3)
ax.legend(title=f"{N} characters, one at a time")
figure

# %%
print(f"largest difference of a logit {largest:.0e}")
plain, cached = ([min(each[:48]), min(each[-48:])] for each in seconds.values())
print("at the end the cache saves more than half of the time:", plain[1] > 2 * cached[1])
assert largest < 1e-4

# %% [markdown]
# The first characters cost the same either way: on so small a model Python itself takes longer than the products.
# Then the orange line climbs, and the blue one hardly does.

# %% [markdown]
# ## Where the window ends
#
# The model reads `max_len` characters, and not one more:

# %%
try:
    model.forward(np.full((1, 65), vocabulary.ids["e"]))
except InputError as error:
    print(textwrap.fill(str(error), 84))
else:
    raise AssertionError("a text longer than max_len was read")
assert len(writer.write("Der ", 300, rng=0)) == 300

# %% [markdown]
# And yet `TextGenerator` wrote 300. When the window is full it forgets all but the last 32 characters and continues from those.
# What does forgetting cost, and what would happen if it just read on? The waves of section 3.5 can be computed for any
# position. So give the same weights a window of 192, let it read held-out text, and look at the loss place by place.

# %%
wide = LanguageModel(replace(model.config, max_len=192), rng=0).eval()
wide.load_state_dict(model.state_dict())
encoded = vocabulary.encode(held_out)
batch = LanguageModelBatch.collate([encoded[i : i + 193] for i in range(0, len(encoded) - 192, 192)])
at_place = surprise(wide, batch).mean(0)  # (192,)

figure, ax = new_figure(width=8, height=3.6)
ax.plot(np.arange(1, 193), at_place, color=GREY, linewidth=0.8, alpha=0.6)
ax.plot(np.arange(4, 193, 8) + 0.5, at_place.reshape(-1, 8).mean(1), "o-", color=main_color(), linewidth=2)
ax.axvline(64.5, color=ORANGE, linestyle="--")
ax.annotate("max_len in training", (64.5, 1), xytext=(6, 0), textcoords="offset points", color=ORANGE)
ax.set(xlabel="characters read", ylabel="nats for the next", ylim=(0, None), title="held-out loss, place by place")
ax.grid(alpha=0.3)
figure

# %%
PLACES = {"1": (0, 1), "17 to 32": (16, 32), "33 to 64": (32, 64), "97 to 192": (96, 192)}
parts = {name: float(at_place[first:end].mean()) for name, (first, end) in PLACES.items()}
for name, loss in parts.items():
    print(f"after {name:9s} characters {loss:.2f} nats")
assert parts["1"] > 3 * parts["33 to 64"] and abs(parts["17 to 32"] - parts["33 to 64"]) < 0.15
assert parts["33 to 64"] < found.loss - 0.03 and abs(parts["33 to 64"] - counted["counts after 5"][0]) < 0.12
assert parts["97 to 192"] > 0.75 * rivals["knows nothing"]

# %% [markdown]
# Three things at once:
#
# - the first characters of a stretch are dear, the rest is cheap. Once it has something to go by, the model is as good
#   as counts after five letters;
# - 32 characters are nearly as good as 64, though three sentences in four are longer: what decides the next character
#   stands close before it. Forgetting costs little *here*;
# - beyond 64 the model is lost, and about as good as who knows nothing. It could compute those waves, but it has never
#   seen them. So the limit is not arithmetic. It is what training has shown.
#
# ## Where it looks while it writes
#
# Row $t$ is the position that has read the character at its left and is about to write the next one. Above the
# diagonal there is nothing: the future is hidden.

# %%
looked = sentence_attention(writer, "\nDer Hund hilft mein")
names = shown(looked.read)
layers, heads, T, _ = looked.decoder.shape
figure, axes = new_figure(layers, heads, **grid_size(names, names, layers, heads))
plot_attention_grid(axes, looked.decoder, names, names)
figure

# %%
print(f"after 'mein' of 'Der Hund hilft mein' it expects {looked.written[-1]!r}, as in 'meinem' and 'meiner'")
assert np.allclose(looked.decoder.sum(-1), 1, atol=1e-5) and not np.triu(looked.decoder, 1).any()
assert looked.written[:-1] == looked.read[1:] and looked.written[-1] == "e"

# %% [markdown]
# Most heads look at the letters just before, some at the beginning of the word or of the sentence. But a map does not
# show what is needed (notebook 09). Here an experiment is easy: `neighbors=r` lets a position see itself and $r$
# characters before it, and nothing else (section 4 of the paper). The weights stay.

# %%
reaches = (1, 2, 4, 8, 16, 32, 63)
batch = LanguageModelBatch.collate([encoded[i : i + 65] for i in range(0, len(encoded) - 64, 64)])
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
# With one character back in each of two layers the model is little better than counts after one letter. Eight back get
# most of the weight, and yet the loss falls on until 16 or 32: what is far away is looked at little, but not for
# nothing. More would be of no use here, for in the phrasebook no sentence knows of the one before.
#
# ## Real text
#
# Tiny Shakespeare is a million characters of his plays. If it is on this machine, the same model learns from it
# here, for a third of the time. Otherwise this cell says so; it downloads nothing.


# %%
def shakespeare_is_here():
    return own_folder("tinyshakespeare") is not None


if shakespeare_is_here():
    [plays], [last_plays] = datasets.find("shakespeare").load("train", "held_out")
    letters = Vocabulary.build([plays], unit="characters", running=True)
    author = TextGenerator(fresh(letters), letters)
    learn(author.model, letters, plays, 500)
    by_author = evaluate(author, [last_plays]).loss
    by_counts = {n: by_counting(n, plays, last_plays) for n in (1, 3, 5)}
    for n, (loss, contexts) in by_counts.items():
        print(f"counts after {n}  {loss:.2f} nats  {contexts:7,d} contexts")
    print(f"the model       {by_author:.2f} nats\n")
    written = "My lord" + author.write("My lord", 240, temperature=0.5, rng=0)
    print(textwrap.fill(" ".join(written.split()), 84))
    assert by_counts[3][0] < by_counts[5][0] < by_author + 0.3 and by_author < by_counts[1][0] - 0.1
else:
    print("Tiny Shakespeare is not on this machine. `npformer train shakespeare` fetches it and trains on it.")

# %% [markdown]
# In real text counts after five letters lose 2.01 nats and those after three 1.80, the other way round than above: five
# letters are too often five that have never occurred in this order, and who counts knows nothing of what is alike.
# Counting ends there. Some seconds of a small model beat pairs of letters and no more; but it keeps falling. A
# model of six layers and width 384 is known to reach 1.47 (nanoGPT's README). Try `npformer train shakespeare`, then
# `npformer generate runs/shakespeare "ROMEO:"`.
#
# ## Three questions
#
# **1.** One model of a text has 0.65 nats per character. Another reads words and has 3.2 nats per word. Words have 5.2
# characters on average, with their spaces. Which foresees the text better?
#
# <details><summary>Answer</summary>
#
# Bring both to the same unit, best to bits per character: $0.65 / \ln 2 = 0.94$ and $3.2 / 5.2 / \ln 2 = 0.89$. The
# second. Perplexities, $e^{0.65} = 1.9$ and $e^{3.2} = 24.5$, may only be compared between models with the same tokens.
#
# </details>
#
# **2.** When its window is full, `TextGenerator` forgets half of it at once. Why not one character each time?
#
# <details><summary>Answer</summary>
#
# The wave of its position is in each cached key. If the window moves by one, every character is at another
# position, and the whole cache is of no use: each character would cost a whole window. To forget 32 costs one reading
# of 32, and then 32 characters come cheaply. The price: the model knows between 32 and 64 characters, not always 64.
#
# </details>
#
# **3.** You write with `top_p = 0.9` and raise the temperature from 1 to 2. Are more characters kept, or fewer?
#
# <details><summary>Answer</summary>
#
# More. The temperature comes first and makes the distribution flatter, so that it takes more characters to have 0.9
# together. `top_k` keeps as many as before, only with other shares.
#
# </details>

# %%
kept = {temperature: len(kept_of_top_p(tempered(logits, temperature), 0.9)) for temperature in (0.5, 1, 2)}
print("kept of the first letters by top_p = 0.9, by temperature:", kept)
assert kept[0.5] < kept[1] < kept[2]
assert 3.2 / 5.2 < 0.65

# %% [markdown]
# Exercise 27 of notebook 08 has you build the cache of this writer. Next: notebook 13, couplets.
