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
# **The idea:** two attention heads in a row can continue a text that they have never seen, by looking up what came
# next the last time. The trace shows both heads, and the moment in training in which they appear.
#
# The source is Olsson et al. 2022, "In-context Learning and Induction Heads". About 30 minutes to read and run, 45
# with every change and question. What you need before: [notebook 23](23_language_modeling.ipynb) for the language
# model, and [notebook 30](30_rotary_positions.ipynb) for rotary positions, with which the model below learns in
# seconds.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import side_by_side

# %% [markdown]
# ## A text that can only be copied
#
# Each text is a random segment of different letters, repeated. The segment has 8 to 16 of 26 letters, and every text
# has another, so nothing about the letters can be learned by heart. In the first round each next letter is a
# surprise, but it is not one of those that the segment has had: after $t$ letters $26 - t$ are left, and
# $\ln(26 - t)$ nats is the best loss, or a little more once the segment may be over. The mean is 2.90, below the
# $\ln 26 = 3.26$ of blind guessing. From the second round on the next letter is known, to anyone who can look it up.

# %%
LENGTH, LETTERS = 32, "abcdefghijklmnopqrstuvwxyz"
FIRST_ID = 4  # ids 0 to 3 are special tokens
PERIODS = range(8, 17)  # change this to range(4, 9) and run all cells again


def draw_texts(n, rng):
    """Return ids (n, LENGTH + 1), and whether each of the LENGTH next letters is in a later round."""
    ids, known = np.zeros((n, LENGTH + 1), int), np.zeros((n, LENGTH), bool)
    for i in range(n):
        period = rng.integers(PERIODS.start, PERIODS.stop)
        ids[i] = np.resize(FIRST_ID + rng.permutation(26)[:period], LENGTH + 1)
        known[i] = np.arange(1, LENGTH + 1) >= period + 1
    return ids, known


def letters(ids):
    return "".join(LETTERS[i - FIRST_ID] for i in ids)


test_ids, test_known = draw_texts(64, np.random.default_rng(100))
for ids, known in zip(test_ids[:3], test_known, strict=False):
    print(f"{letters(ids)}   can be known: {known.sum()} of {LENGTH} next letters")

# %% [markdown]
# The first letter of the second round counts as unknown: nothing says that the segment is over.
#
# ## Training
#
# A decoder of two layers with four heads, pre-norm, width 64, with rotary positions, and a copy with one layer. The
# generator has a table of its own. After every 20 updates the loss on the test texts is measured, in both kinds of
# places, and with `npf.trace` all attention weights of the test texts are kept.

# %% tags=["hide-input"]
from npformer.layers import RotaryAttention
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LanguageModelBatch, Objective
from npformer.training import Adam, CosineSchedule


def fresh(n_layers):
    """Return a language model with rotary positions."""
    sizes = {"d_model": 64, "d_ff": 128, "n_heads": 4, "n_decoder_layers": n_layers, "max_len": LENGTH}
    model = LanguageModel(
        LanguageModelConfig(vocab_size=30, dropout=0.0, norm="pre", tie_embeddings="none", **sizes), rng=1
    )
    model.decoder.input_embedding.positions.table[:] = 0  # no sinusoids
    for layer in model.decoder.layers:
        layer.self_attention.sublayer.attention = RotaryAttention(16, causal=True, max_len=LENGTH)
    return model


def log_softmax(logits):
    logits = logits.astype(float) - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


# %%
def look(model):
    """Return the test losses in unknown and known places, and the attention weights (layers, B, H, T, T)."""
    with model.evaluating(), npf.trace(model) as trace:
        logits = model.forward(test_ids[:, :-1])  # (B, T, V)
    losses = -np.take_along_axis(log_softmax(logits), test_ids[:, 1:, None], -1)[..., 0]
    softmax = "decoder.layers.{}.self_attention.sublayer.attention.softmax"
    weights = [trace[softmax.format(n)].output for n in range(len(model.decoder.layers))]
    return losses[~test_known].mean(), losses[test_known].mean(), np.array(weights)


def train(model, n_updates):
    """Train a model; return what `look` found after every 20 updates."""
    objective, rng = Objective(model, label_smoothing=0.0), np.random.default_rng(1)
    schedule = CosineSchedule(0.005, warmup_steps=50, decay_steps=n_updates, final=0.0015)
    adam, found = Adam(model.parameters(), learning_rate=schedule), []
    for update in range(n_updates):
        if update % 20 == 0:
            found.append(look(model))
        ids, _ = draw_texts(32, rng)
        batch = LanguageModelBatch(ids[:, :-1], ids[:, 1:])
        model.zero_grad()
        objective.forward(batch, batch.n_tokens)
        objective.backward()
        adam.step()
    return [*found, look(model)]


N_UPDATES = 280  # change this to 140 and run it again: that ends before the drop
models = {n: fresh(n) for n in (1, 2)}
found = {n: train(model, N_UPDATES) for n, model in models.items()}
for n in found:
    unknown, known, _ = found[n][-1]
    print(f"layers: {n}   loss in the first round {unknown:.2f}, later {known:.2f}")

# %% tags=["hide-input"]
from helpers.pictures.lines import head_colors
from npformer.visualization.plots import new_figure, plot_attention_grid
from npformer.visualization.plots.colors import ORANGE, ink, main_color

updates = np.arange(0, N_UPDATES + 1, 20)
figure, ax = new_figure(width=7.5, height=3.3)
for n, color in ((2, main_color()), (1, ORANGE)):
    unknown, known = np.array([row[:2] for row in found[n]]).T
    ax.plot(updates, known, color=color, linewidth=2, label=f"layers: {n}, later rounds")
    ax.plot(updates, unknown, color=color, linewidth=1.2, linestyle="--", label=f"layers: {n}, first round")
first_round = []  # the best loss at each of its places, over all periods; from the shortest on the segment may end
for period in PERIODS:
    for t in range(1, period + 1):
        p_end = (t >= PERIODS.start) / (PERIODS.stop - max(t, PERIODS.start))
        first_round.append(-np.log(p_end if t == period else (1 - p_end) / (26 - t)))
best_first = np.mean(first_round)
ax.axhline(best_first, color=ink(), linewidth=1, linestyle=":", label="first round, best possible")
ax.set(xlabel="update", ylabel="loss (nats per letter)", ylim=(0, 4))
ax.legend(ncols=2)
later = {n: np.array([row[1] for row in found[n]]) for n in found}
assert PERIODS.start != 8 or round(best_first, 2) == 2.90
assert N_UPDATES != 280 or (later[2][-1] < 0.6 and later[1][-1] > later[2][-1] + 1)
figure

# %% [markdown]
# The loss of two layers falls slowly at first, as the model finds that only letters of the segment come again, and
# then drops within eighty updates. One layer never has the drop. Meanwhile the loss of the first round rises above
# $\ln 26$: a model that expects repetition pays for it where there is none. Neither model is near the best possible,
# the dotted line: that would take a head that sees all earlier letters and says *not these*, and none has learned it.
#
# ## Who looks where?
#
# Two measures for each head, from its attention weights at the test texts. Position $t$ reads a letter; its last
# occurrence was at $t - p$, where $p$ is the period.
#
# - **previous-token score**: the mean weight from $t$ to $t - 1$.
# - **prefix-matching score**: the mean weight from $t$ to $t - p + 1$, the token *after* the last occurrence of the present one.
#   That token is the answer. It is measured where $t$ is in a later round.
#
# Beside them is "chance": the scores of a head with equal weights. Heads and layers are counted from 1, as in
# notebook 32c.


# %%
def head_scores(weights):
    """Return both scores of each head: (layers, H) and (layers, H)."""
    previous = np.diagonal(weights, -1, axis1=-2, axis2=-1).mean((1, -1))  # (layers, H)
    matching = []
    for i, ids in enumerate(test_ids[:, :-1]):
        period = int(np.flatnonzero(ids[1:] == ids[0])[0]) + 1
        t = np.arange(period, LENGTH)
        matching.append(weights[:, i, :, t, t - period + 1].mean(0))  # (layers, H)
    return previous, np.mean(matching, 0)


moment = -1  # at the end; change this to 5, after 100 updates, and run this cell and the next two again
previous, matching = head_scores(found[2][moment][2])
equal = np.tril(np.ones((LENGTH, LENGTH))) / np.arange(1, LENGTH + 1)[:, None]  # (T, T)
chance = [scores.item() for scores in head_scores(np.broadcast_to(equal, (1, len(test_ids), 1, LENGTH, LENGTH)))]
print(side_by_side(2, previous_token=previous, prefix_matching=matching))  # a row per layer, a column per head
print(f"by chance: {chance[0]:.2f} and {chance[1]:.2f}")
first, second = int(previous[0].argmax()), int(matching[1].argmax())
print(f"strongest: previous token head {first + 1} of layer 1, prefix matching head {second + 1} of layer 2")

# %% [markdown]
# One head of layer 1 mostly attends to the previous token, and two of layer 2 to the token after the last occurrence;
# others do so in part. Head 1 of layer 1 is near chance, and so is all of layer 2 in the first measure. Here are the
# strongest, on the first test text. Blue squares are weights; a row is the position that looks:

# %% tags=["hide-input"]
maps = found[2][moment][2][[0, 1], 0, [first, second]]  # (2, T, T)
names = list(letters(test_ids[0, :-1]))
figure, axes = new_figure(1, 2, width=10, height=5.2)
plot_attention_grid(axes, maps, names, names)
for ax, title in zip(np.ravel(axes), (f"layer 1, head {first + 1}", f"layer 2, head {second + 1}"), strict=True):
    ax.set_title(title)
    ax.tick_params(labelsize=9)
    ax.tick_params(axis="x", rotation=0)
assert (N_UPDATES, moment) != (280, -1) or (previous[0].max() > 0.5 and matching[1].max() > 0.5 > matching[0].max())
figure

# %% [markdown]
# The left map is a line just below the diagonal. The right map has no line in the first round, where there is nothing
# to find, and then a parallel line at the distance $p - 1$. In the third round the letter has occurred twice, and some
# rows (f, d) share the weight between two places.
#
# Together they are a circuit. The head of layer 1 writes into each position *what came before me*. The head of layer
# 2 asks *where is a position that came after the letter I read?*, and its values say which letter is there. So the
# keys of layer 2 must contain what layer 1 wrote. Test it with a *patch*: run the model once without the attention of
# layer 1, keep what layer 2 would read there, and give it to the keys of the whole model alone, then to its queries
# alone, then to its values alone.

# %%
from npformer.utils.wrap_methods import wrap_methods

two = models[2]
below, above = (layer.self_attention.sublayer for layer in two.decoder.layers)
amount = 0  # of what layer 1's attention writes; change this to 1 and run it again: are the four losses equal?
with two.evaluating(), npf.trace(two) as trace, wrap_methods([(below, "forward", lambda f, *xs: amount * f(*xs))]):
    two.forward(test_ids[:, :-1])
poor = trace["decoder.layers.1.self_attention.sublayer"].inputs[0]  # (B, T, D)
patched = {"nothing": look(two)[1]}
for name in ("key", "query", "value"):
    with wrap_methods([(getattr(above, f"w_{name}"), "forward", lambda f, _: f(poor))]):
        patched[name] = look(two)[1]
print("loss in later rounds, replaced:", ", ".join(f"{name} {loss:.2f}" for name, loss in patched.items()))

# %% tags=["hide-input"]
assert (N_UPDATES, amount) != (280, 0) or patched["key"] > 2 > 0.5 > max(patched["query"], patched["value"])

# %% [markdown]
# Without layer 1 in its keys the model of two layers is worse than that of one. Its queries and values hardly need
# what layer 1 wrote. So the keys carry *what came before me* from one head to the other, and this is why one layer is
# not enough: without layer 1 there is nothing to match. (In notebook 28 an LSTM did for attention what the first
# head does here: its states knew the letter before.)
#
# ## When do they appear?

# %% tags=["hide-input"]
history = [head_scores(weights) for _, _, weights in found[2]]
figure, (top, bottom) = new_figure(1, 2, width=10, height=3.3)
for layer, scores, ax, title in (
    (0, [p for p, _ in history], top, "layer 1: previous token"),
    (1, [m for _, m in history], bottom, "layer 2: prefix matching"),
):
    for head, color in enumerate(head_colors(4)):
        ax.plot(updates, np.array(scores)[:, layer, head], color=color, linewidth=2, label=f"head {head + 1}")
    ax.axhline(chance[layer], color=ink(), linewidth=1, linestyle="--", label="chance")
    ax.set(xlabel="update", ylabel="score (mean weight)", title=title, ylim=(0, 1))
    ax.plot(updates, later[2] / np.log(26), color=ink(), linewidth=1, linestyle=":", label="loss / ln 26")
    ax.legend(fontsize="small")
best = np.array([[p[0].max(), m[1].max()] for p, m in history])
figure

# %%
fell = int(np.argmin(np.diff(later[2])))  # the 20 updates in which the loss fell most
for i in range(max(fell - 2, 0), min(fell + 4, len(updates))):
    print(f"update {updates[i]:3d}  loss {later[2][i]:.2f}  largest scores {best[i].round(2)}")
previous_first, matching_first = (next(iter(updates[scores > 0.3]), "none") for scores in best.T)
print(f"above 0.3: previous token from update {previous_first}, prefix matching from update {matching_first}")

# %% tags=["hide-input"]
assert N_UPDATES != 280 or (previous_first <= matching_first and abs(updates[fell] - matching_first) <= 40)

# %% [markdown]
# The second head appears in the very updates in which the loss drops. Before that, the parts are useless one by one:
# a head that matches has nothing to match until the other writes, and what the other writes is of no use until
# somebody reads it. So the gradient is small for a long time, and large as soon as both are there a little. Olsson et
# al. see the same in large language models, as a bump in the loss curve.
#
# **Is the head needed?** Two scores that rise together are a correlation. So take a head out: set its part of $W^O$
# to zero.

# %%
for layer in range(2):
    w_output = two.decoder.layers[layer].self_attention.sublayer.w_output.weight
    for head in range(4):
        rows = slice(16 * head, 16 * head + 16)  # change this to slice(0, 64), all heads of the layer, and run it again
        kept = w_output.data.copy()
        w_output.data[rows] = 0
        _, without, _ = look(two)
        w_output.data = kept
        role = f"previous {previous[layer, head]:.2f}, matching {matching[layer, head]:.2f}"
        print(f"without head {head + 1} of layer {layer + 1} ({role}): loss in later rounds {without:.2f}")
print(f"with all heads: {look(two)[1]:.2f}")

# %% [markdown]
# The head with the highest score is the one that is missed most, in each layer. The loss without it is still below
# that of one layer, because the other heads of its layer do the same work less well.
#
# ## The logit lens
#
# The stream after each layer has the same width, and the generator reads it only at the end. Read it earlier
# (nostalgebraist 2020): apply the final LayerNorm and the generator to the embedding, to the output of layer 1, and
# to that of layer 2, and see what the model would say there.

# %%
with two.evaluating(), npf.trace(two) as trace:
    two.forward(test_ids[:, :-1])
stages = {"embedding": "decoder.input_embedding", "layer 1": "decoder.layers.0", "layer 2": "decoder.layers.1"}
read, shares = 20, {}  # change the place, 20, and run it again
print(f"text {letters(test_ids[0, : read + 1])}, next is {letters(test_ids[0, read + 1 : read + 2])}")
for stage, name in stages.items():
    with two.evaluating():
        logits = two.generator.forward(two.decoder.norm.forward(trace[name].output))  # (B, T, V)
    p = np.exp(log_softmax(logits))
    best_ids = p[0, read].argsort()[:-4:-1]
    said = ", ".join(f"{letters([i])} {p[0, read, i]:.2f}" for i in best_ids if i >= FIRST_ID)
    of_next = np.take_along_axis(p, test_ids[:, 1:, None], -1)[..., 0]  # (B, T)
    in_segment = (test_ids[:, :, None] == np.arange(30)).any(1)  # (B, V)
    of_segment = (p * in_segment[:, None]).sum(-1)  # (B, T)
    shares[stage] = of_next[test_known].mean(), of_segment[test_known].mean()
    print(f"{stage:10} most probable: {said}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=6.5, height=3)
values = np.array(list(shares.values()))
places = np.arange(len(shares))
for i, (label, color) in enumerate((("the next letter", main_color()), ("all letters of the segment", ORANGE))):
    bars = ax.bar(places + 0.4 * i - 0.2, values[:, i], 0.38, color=color, label=label)
    ax.bar_label(bars, [f"{value:.2f}" for value in values[:, i]], padding=2)
ax.set_xticks(places, list(shares))
ax.set(ylabel="mean probability in later rounds", ylim=(0, 1.1))
ax.legend()
assert N_UPDATES != 280 or (values[2, 0] > 0.6 > 0.2 > values[1, 0] and values[1, 1] < 0.6)
figure

# %% [markdown]
# The answer is not there after layer 1 and is there after layer 2: it arrives with the induction head, not bit by
# bit. Not even the letters of the segment, about 12 of 26, are favored after layer 1. In deep models the lens often
# shows a gradual change, and early layers can look like nonsense, because nothing makes a middle layer write in the
# language of the generator. So a lens that shows the answer says that it is there; one that does not says little.
#
# ## Questions
#
# **1.** A text repeats "x" several times within the segment: "a x b x c x". What does the circuit predict after "x"?
#
# <details><summary>Answer</summary>
#
# One head finds all positions that follow an "x" and averages what is there: "b" and "c", with about equal
# probability. To tell them apart a head must match two letters, which takes a head in layer 1 that writes what came
# two places before.
#
# </details>
#
# **2.** The prefix-matching score is measured from $t$ to $t - p + 1$. What would a large weight from $t$ to $t - p$
# do?
#
# <details><summary>Answer</summary>
#
# The head would find the last occurrence of the present letter, and read the letter that it already has: copying,
# which says nothing about what comes next. One layer can do this, because query and key then contain the same letter.
#
# </details>
#
# **3.** Could a model with one layer and rotary positions solve the task if all segments had the length 12?
#
# <details><summary>Answer</summary>
#
# Yes: a head that attends to the distance 11 finds the answer by position, without reading a letter. This is why the
# segments have different lengths. A test of induction must make sure that position alone cannot do it.
#
# </details>
#
# ---
#
# This is the last notebook. Continue with [inside a real model](32c_inside_a_real_model.ipynb), whose heads you can
# now measure in the same way, or take a model apart with `npf.trace` and the attention viewer of
# [notebook 26](26_looking_at_attention.ipynb).
#
# Write it yourself: exercises masks, heads and multi_head. `npformer course start my-course` begins the course.
