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
# **The idea.** Leave out the encoder of figure 1. What remains gives, at every position of a text, a probability to
# each character that could come next. The text itself is the label.
#
# Paper: sections 3.1 and 3.2.3 for the decoder and its mask; the rest is newer (Radford et al. 2018). Code:
# `npformer/models/language_model.py` and `npformer/tasks/language_modeling.py`. Before this:
# [notebook 07](07_encoder_and_decoder.ipynb), encoder and decoder, and [notebook 15](15_adam_and_warm_up.ipynb),
# training. About 30 minutes to read and run, 45 with every change and question. The training takes a quarter of a
# minute.

# %%
# %matplotlib inline
import numpy as np

from npformer import datasets
from npformer.text import Vocabulary

# %% [markdown]
# ## A text
#
# The phrasebook's German, one sentence per line: 20,000 sentences to learn from, and 500 others, held out, to be judged
# on. The tokens are characters. Spaces and line ends are shown as ␣ and ↵.

# %%
[train], [held_out] = datasets.get("german").load("train", "held_out")
vocabulary = Vocabulary.build([train], tokenizer="character", running=True)
V = len(vocabulary) - 4  # <pad>, <unk>, <bos> and <eos> are not in the text
print(train[:201])
print(f"{len(train):,} characters, {V} different ones; held out {len(held_out):,}")


def shown(text):
    return [{" ": "␣", "\n": "↵"}.get(character, character) for character in text]


assert not set(held_out) - set(vocabulary.tokens)

# %% [markdown]
# ## The decoder alone
#
# Take the decoder of notebook 07. Without a source there is no memory, and so no cross-attention: each layer has masked
# self-attention and a feed-forward network, nothing else. The same matrix embeds characters and scores them. This one
# has two layers of width 64, and LayerNorm is before each part (`norm="pre"`), as in most language models.


# %%
from npformer.models import LanguageModel, LanguageModelConfig


def fresh(vocabulary):
    config = LanguageModelConfig(
        vocab_size=len(vocabulary),
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_decoder_layers=2,  # change this to 1 and run it again: what does a layer cost?
        dropout=0.0,
        norm="pre",
        max_len=64,
    )
    return LanguageModel(config, rng=0)


model = fresh(vocabulary)
n_numbers = sum(parameter.data.size for parameter in model.parameters())
print(f"{n_numbers:,} parameters")
parts = dict.fromkeys(name.split(".")[0] for name, _ in model.decoder.layers[0].named_parameters())
print("a layer has", ", ".join(parts))
assert list(parts) == ["self_attention", "feed_forward"]

# %% [markdown]
# ## Every next character at once
#
# What is to be predicted is the text itself, one step on. No person has to label anything:

# %%
from npformer.tasks import LanguageModelBatch

sentence = "Der Hund schläft."  # change this and run it again
batch = LanguageModelBatch.collate([vocabulary.encode(f"\n{sentence}\n")])
for name, ids in (("reads", batch.ids), ("predicts", batch.targets)):
    print(f"{name:9s}", " ".join(shown(vocabulary.decode(ids[0]))))
assert np.array_equal(batch.ids[0, 1:], batch.targets[0, :-1])

# %% [markdown]
# One forward gives a prediction at every position, 18 of them for the price of one. This is honest only if no position
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
# The loss is the mean surprise: with $N$ characters to be predicted,
#
# $$L = -\frac{1}{N} \sum_{t} \ln P(x_{t+1} \mid x_1, \dots, x_t)$$
#
# ## What is a good loss?
#
# A number needs something to compare it with. A model that knows nothing gives each of $V$ characters $1/V$, and
# loses $\ln V$. Other rivals count in the training text: how often is each character, and how often does it follow
# the one before, the three before, the five before? A hundredth is added to each count, because a probability of 0
# would cost an infinite loss.


# %%
from collections import Counter


def by_counting(n, train, held_out):
    """Return the held-out loss of counts that know n characters, and how many contexts they remember."""
    more, size = Counter(train[i : i + n + 1] for i in range(len(train) - n)), len(set(train))
    contexts = Counter()
    for piece, times in more.items():
        contexts[piece[:n]] += times
    pieces = [held_out[i - n : i + 1] for i in range(n, len(held_out))]
    ps = [(more[piece] + 0.01) / (contexts[piece[:n]] + 0.01 * size) for piece in pieces]
    return -float(np.mean(np.log(ps))), len(contexts)


# add 7: "counts after 7" and run it again: are they better than those after 5?
KNOWN = {0: "counts of letters", 1: "counts after 1 letter", 3: "counts after 3", 5: "counts after 5"}
counted = {name: by_counting(n, train, held_out) for n, name in KNOWN.items()}
rivals = {"knows nothing": float(np.log(V)), **{name: loss for name, (loss, _) in counted.items()}}
for name, loss in rivals.items():
    rows = f"{counted[name][1]:6,d} contexts" if name in counted else ""
    print(f"{name:22s} {loss:.3f} nats  {rows}")
assert list(rivals.values()) == sorted(rivals.values(), reverse=True)

# %% [markdown]
# ## Training
#
# `TextChunks` cuts the text into pieces of 64 characters, at other places in each epoch, and yields four of them at a
# time. The rest is that of notebook 15, with two changes. There is no label smoothing, because here the
# probabilities themselves are needed. And the learning rate rises as it does there, but falls along a cosine
# (`CosineSchedule`).


# %%
from npformer.tasks import Objective, TextChunks, TextGenerator, evaluate
from npformer.training import Adam, CosineSchedule, Trainer


def learn(model, vocabulary, text, n_updates):
    chunks = TextChunks(vocabulary.encode(text), length=model.config.max_len, batch_tokens=256)
    schedule = CosineSchedule(0.004, warmup_steps=n_updates // 16, decay_steps=n_updates, final=0.0004)
    adam, losses = Adam(model.parameters(), learning_rate=schedule), []
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, chunks).updates(10):
        losses.append(record.loss)
        if record.step == n_updates:
            break
    model.eval()
    return losses


losses = learn(model, vocabulary, train, 1600)  # change the model's size above and run it again
writer = TextGenerator(model, vocabulary)
found = evaluate(writer, [held_out])
print(found.table())

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

figure, axes = new_figure(1, 2, width=10, height=3.8)
axes[0].plot(losses, color=GREY, alpha=0.35, linewidth=0.8)
axes[0].plot(running_mean(losses, 32), color=main_color(), linewidth=2)
for name, loss in rivals.items():
    axes[0].axhline(loss, color=ORANGE, linestyle="--", linewidth=1)
    x, side = (len(losses), "right") if loss > 1 else (0, "left")  # where the curve is not
    note = {"xytext": (0, -9 if loss < 0.7 else 3), "textcoords": "offset points", "fontsize": 8, "color": ORANGE}
    axes[0].annotate(name, (x, loss), ha=side, **note)
axes[0].set(xlabel="update", ylabel="nats per character", ylim=(0, None), title="training loss")
bars = {**rivals, "the model": found.loss}
colors = [ORANGE] * len(rivals) + [main_color()]
drawn = axes[1].barh(list(bars), list(bars.values()), color=colors)
axes[1].bar_label(drawn, [f"{value:.2f}" for value in bars.values()], padding=3)
axes[1].invert_yaxis()
axes[1].set(xlabel="nats per character", xlim=(0, 4.6), title="held-out loss")
figure

# %% tags=["hide-input"]
assert model.config.n_decoder_layers < 2 or found.loss < rivals["counts after 3"]
assert losses[0] > rivals["knows nothing"] - 0.5

# %% [markdown]
# On its way down the model passes one rival after the other: first it learns which letters are frequent, then which
# stand together, then words. (With one layer it stops at 0.87, for half the parameters.) But look at the last orange
# bar. Counts after five letters are better, and after seven a little more: 0.617, for three times as many contexts.
# There are two reasons. The phrasebook has few words, so that whole words can be remembered, in real text not (see
# the end). And the counts always know their letters, while the model is judged on pieces of 64 characters and begins
# each without any context: a section below measures what that costs. Nor is the training at its end: after 5,600
# updates with batches of 1,024 characters the same model loses 0.55 and passes the last rival too
# (`notebooks/helpers/train_german_letters.py`). Notebook 24 writes with it.
#
# ## One number in three units
#
# - **nats per character**, $L$: what training minimizes;
# - **bits per character**, $L / \ln 2$: how short an ideal code could write the text with the model's help;
# - **perplexity**, $e^L$: among how many equally likely characters one would be as unsure.

# %%
print(f"by hand   nats {found.loss:.3f}, bits {found.loss / np.log(2):.3f}, perplexity {np.exp(found.loss):.3f}")
print(f"by class  nats {found.loss:.3f}, bits {found.bits_per_character:.3f}, perplexity {found.perplexity:.3f}")
print(f"knowing nothing has a perplexity of {V} and takes {np.log2(V):.2f} bits")

# %% [markdown]
# A mean hides where the surprise is. Here is a held-out sentence, and how many bits each of its characters cost:

# %%
# change "dass" to "weil" and run this cell and the next again
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
bits = nats / np.log(2)
begins = np.array([before in " \n" for before in text[:-1]])
print(f"first letters of words {bits[begins].mean():.2f} bits, all others {bits[~begins].mean():.2f}")

# %% tags=["hide-input"]
assert np.isclose(found.bits_per_character, found.loss / np.log(2)) and np.isclose(found.perplexity, np.exp(found.loss))
assert bits[begins].mean() > 2 * bits[~begins].mean()
figure, ax = new_figure(width=10, height=3)
ax.bar(range(len(bits)), bits, color=np.where(begins, ORANGE, main_color()))
ax.set_xticks(range(len(bits)), shown(text[1:]))
ax.tick_params(axis="x", length=0)
ax.set(ylabel="surprise in bits", xlim=(-0.7, len(bits) - 0.3), title="orange: the first letter of a word")
figure

# %% [markdown]
# Words begin with a surprise, and a letter or two later there is mostly one way on. Of the other tall bars one is a
# second letter, since "w" could also have begun another word, and the rest are endings: "jede" could have continued as
# "jeden". What a text says is decided at few places.
#
# ## Where the window ends
#
# The model reads `max_len` characters, here 64, and raises an error when there is one more. And yet `TextGenerator`
# ([notebook 24](24_generating_text.ipynb)) writes 300: when the window is full it forgets all but the last 32
# characters and continues from those. What does forgetting cost, and what would happen if it just read on? The
# sinusoids of section 3.5 can be computed for any position. So give the same weights a window of 192, let it read
# held-out text, and look at the loss place by place.

# %%
from dataclasses import replace

wide = LanguageModel(replace(model.config, max_len=192), rng=0).eval()
wide.load_state_dict(model.state_dict())
encoded = vocabulary.encode(held_out)
batch = LanguageModelBatch.collate([encoded[i : i + 193] for i in range(0, len(encoded) - 192, 192)])
at_place = surprise(wide, batch).mean(0)  # (192,)

PLACES = {"1": (0, 1), "17 to 32": (16, 32), "33 to 64": (32, 64), "97 to 192": (96, 192)}  # change these, run again
parts = {name: float(at_place[first:end].mean()) for name, (first, end) in PLACES.items()}
for name, loss in parts.items():
    print(f"characters read: {name:9s} {loss:.2f} nats for the next")

# %% tags=["hide-input"]
figure, ax = new_figure(width=8, height=3.6)
ax.plot(np.arange(1, 193), at_place, color=GREY, linewidth=0.8, alpha=0.6)
ax.plot(np.arange(4, 193, 8) + 0.5, at_place.reshape(-1, 8).mean(1), "o-", color=main_color(), linewidth=2)
ax.axvline(64.5, color=ORANGE, linestyle="--")
ax.annotate("max_len in training", (64.5, 1), xytext=(6, 0), textcoords="offset points", color=ORANGE)
ax.set(xlabel="characters read", ylabel="nats for the next", ylim=(0, None), title="held-out loss, place by place")
ax.grid(alpha=0.3)
figure

# %% tags=["hide-input"]
from npformer import InputError

try:
    model.forward(np.full((1, 65), vocabulary.ids["e"]))
except InputError:
    assert len(writer.generate("Der ", 300, rng=0)) == 300
else:
    raise AssertionError("a text longer than max_len was read")
if model.config.n_decoder_layers == 2:
    first, second_quarter, second_half, beyond = (
        at_place[a:b].mean() for a, b in ((0, 1), (16, 32), (32, 64), (96, 192))
    )
    assert first > 2.5 * second_half and abs(second_quarter - second_half) < 0.15
    assert second_half < found.loss - 0.03 and abs(second_half - counted["counts after 5"][0]) < 0.12
    assert beyond > 0.75 * rivals["knows nothing"]

# %% [markdown]
# Three things at once:
#
# - the first characters of a piece are expensive, the rest is cheap. Once it has a context, the model is better than
#   counts after three letters and nearly as good as those after five;
# - 32 characters are nearly as good as 64, though three sentences in four are longer: what decides the next character
#   is close before it. Forgetting costs little *here*;
# - beyond 64 the model is lost: 3.49 nats is worse than counts of single letters, 3.12, which know no context at all.
#   It can compute those sinusoids, but it has never seen them. So the limit is not arithmetic. It is what occurred in
#   training. Notebook 28 found the same for copied letters, and [notebook 30](30_rotary_positions.ipynb) tries
#   rotary positions.
#
# ## Real text
#
# Tiny Shakespeare is a million characters of his plays. If it is on this machine, the same model learns from it
# here, in 600 updates. Otherwise this cell says so; it downloads nothing.


# %%
import textwrap

from npformer.datasets.download import own_folder

if own_folder("tinyshakespeare"):
    [plays], [last_plays] = datasets.get("shakespeare").load("train", "held_out")
    letters = Vocabulary.build([plays], tokenizer="character", running=True)
    author = TextGenerator(fresh(letters), letters)
    learn(author.model, letters, plays, 600)  # change this to 1600 and run it again
    by_author = evaluate(author, [last_plays]).loss
    by_counts = {n: by_counting(n, plays, last_plays) for n in (1, 3, 5)}
    for n, (loss, contexts) in by_counts.items():
        print(f"counts after {n}  {loss:.2f} nats  {contexts:7,d} contexts")
    print(f"the model       {by_author:.2f} nats\n")
    written = "My lord" + author.generate("My lord", 240, temperature=0.5, rng=0)
    print(textwrap.fill(" ".join(written.split()), 84))
    assert by_counts[3][0] < by_counts[5][0] < by_author + 0.3 and by_author < by_counts[1][0] - 0.1
else:
    print("Tiny Shakespeare is not on this machine. `npformer train shakespeare` fetches it and trains on it.")

# %% [markdown]
# In real text counts after five letters lose 2.01 nats and those after three 1.80, the other way round than above:
# five letters are too often five that have never occurred in this order, and counts know nothing of similarity.
# Counting ends there. A few seconds of a small model beat pairs of letters and no more; but its loss keeps falling. A
# model of six layers and width 384 is known to reach 1.47 (nanoGPT's README). Try `npformer train shakespeare`, then
# `npformer generate runs/shakespeare "ROMEO:"`.
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
# **2.** A colleague forgot the causal mask, and the loss falls to almost 0. What does the model compute?
#
# <details><summary>Answer</summary>
#
# It copies. Position $t$ sees the character at $t + 1$, which is its own target, so one head that looks one step
# ahead is enough. The text that it writes is nonsense, because in writing there is no character ahead. A loss far
# below that of every rival is a reason to look for such a leak ([notebook 18b](18b_bugs_in_the_data.ipynb)).
#
# </details>
#
# **3.** The training loss begins near 5.4 nats. A model that knows nothing has 3.99. How can a new model be worse?
#
# <details><summary>Answer</summary>
#
# A new model knows nothing, but it does not say so: its logits are random and not equal, so it is confident of random
# characters. Logits of variance $\sigma^2$ cost about $\sigma^2 / 2$ more than $\ln V$
# ([notebook 18](18_debugging_a_training.ipynb)). A few updates repair it; a first loss far higher would be a mistake.
#
# </details>

# %% tags=["hide-input"]
assert 3.2 / 5.2 < 0.65 and losses[0] > rivals["knows nothing"] + 1

# %% [markdown]
# Next: [notebook 24](24_generating_text.ipynb), where a language model writes.
#
# Write it yourself: exercises masks, masked_softmax and training_step. `npformer course start my-course`
# begins the course.
