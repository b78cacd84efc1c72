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
# # 27 Embeddings as geometry
#
# **The idea:** a row of the embedding table is a direction. After training, words that are used alike point alike,
# and what "used alike" means depends on where the table is used.
#
# Paper: section 3.4. About 30 minutes to read and run, 50 with every change and question. What you need before:
# [notebook 14](14_the_loss.ipynb) for the loss and the tied table, and the dot product of two vectors.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.datasets import phrasebook

# %% [markdown]
# ## A table
#
# The task has to be about words, so take the German sentences of the phrasebook and a decoder alone that predicts
# each next word ([notebook 23](23_language_modeling.ipynb) is about such models). Its vocabulary has all 462 words
# and, at the end, twenty more that occur in no sentence; you will see what becomes of them.
# %%
from npformer.text import Vocabulary, pad

train_pairs, _ = phrasebook.split()
words = Vocabulary.build((pair.target for pair in train_pairs), lowercase=True)
sentences = [words.encode(pair.target) for pair in train_pairs]
names = [*words.tokens, *(f"unused{i}" for i in range(20))]
V, D = len(names), 32  # change the 32 to 8 and run all cells again: can tables still sort by kind?


def language_model(tie_embeddings="all", seed=0):
    """Return an untrained model with one layer; `tie_embeddings` says whether input and output share a table."""
    sizes = {"d_model": D, "d_ff": 128, "n_heads": 4, "n_decoder_layers": 1, "dropout": 0.0}
    return npf.models.LanguageModel(
        npf.models.LanguageModelConfig(vocab_size=V, tie_embeddings=tie_embeddings, **sizes), rng=seed
    )


def train(model, updates=600):
    """Train on batches of 32 sentences; return the losses."""
    loss = npf.tasks.LabelSmoothingLoss(eps=0.0)
    schedule = npf.training.WarmupSchedule.with_peak(6e-3, D, 100)
    adam, losses = npf.training.Adam(model.parameters(), learning_rate=schedule), []
    for n in range(updates):
        batch = [sentences[i % len(sentences)] for i in range(32 * n, 32 * n + 32)]
        read, predict = pad([[2, *ids] for ids in batch], 0), pad([[*ids, 3] for ids in batch], 0)  # (B, T)
        model.zero_grad()
        losses.append(loss.forward(model.forward(read), predict))
        dlogits = loss.backward()
        model.backward(dlogits)
        adam.clip_gradient(1.0)
        adam.step()
    return np.array(losses)


model = language_model()
start = model.generator.table.data.copy()
losses = train(model)
table = model.generator.table.data  # (V, D)
print(f"loss {losses[0]:.2f}, after 600 updates {losses[-50:].mean():.2f}; the table is {table.shape}")
for word in ("hund", "vogel", "den"):  # dog, bird, the
    print(f"{word:6}", table[words.ids[word], :8].round(2), "...")

# %% [markdown]
# Thirty-two numbers per word. A single number says nothing: nothing in the model refers to "feature 5" of a word,
# only to dot products and matrix products with whole rows. So look at angles.
#
# ## Neighbors
#
# The cosine of two rows is their dot product, divided by their norms: 1 for the same direction, 0 for a right angle.
# Random directions in 32 dimensions have cosines around 0, with a standard deviation of $1/\sqrt{32} = 0.18$.


# %%
def cosines(table):
    """Return the cosine of each row with each row, (V, V)."""
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    return unit @ unit.T


def neighbors(table, word, k=4):
    """Return the k rows with the largest cosine to a word's row."""
    found = cosines(table)[words.ids[word]]
    return [(names[i], found[i]) for i in np.argsort(-found)[1 : k + 1]]


WORDS = ("hund", "vater", "kaffee", "montags", "sieben", "den")  # change these and run it again
for title, rows in (("before training", start), ("after training", table)):
    print(title)
    for word in WORDS:
        print(f"  {word:8}", "  ".join(f"{name} {cosine:.2f}" for name, cosine in neighbors(rows, word)))

# %% tags=["hide-input"]
if D == 32:
    assert neighbors(table, "montags", 2)[0][0] in ("freitags", "sonntags")
    assert [name for name, _ in neighbors(table, "den", 1)] == ["diesen"]

# %% [markdown]
# Before training, chance. After it: days with days, numbers with numbers, drinks with drinks. Nobody gave the model a
# dictionary: words that occur between the same words get the same gradients. But *hund* (dog) is next to *vogel*
# (bird), and then to *freund* (friend) and *computer*: all four are masculine. Remember this.
#
# ## A picture: principal components
#
# You cannot draw 32 dimensions. Principal component analysis finds the two directions in which the rows differ most.
# In three lines: subtract the mean row; take the singular value decomposition $X = U S V^\top$; the first two columns
# of $U S$ are the coordinates.

# %%
from helpers.nouns import NOUNS

GROUPS = {
    "people": "adult youth kin",
    "animals": "animal",
    "food": "food meal",
    "drinks": "drink",
    "places": "outdoors indoors",
}
kind_of = {kind: group for group, kinds in GROUPS.items() for kind in kinds.split()}
nouns = [noun for noun in NOUNS if noun.german != "Junge"]  # "junge" is also "young"
rows = np.array([words.ids[noun.german.lower()] for noun in nouns])
genders = np.array([noun.gender for noun in nouns])
kinds = np.array([kind_of.get(noun.kind, "things") for noun in nouns])


def principal_components(X):
    """Return coordinates along all components, most important first, and the share of the variance of each."""
    centered = X - X.mean(0)
    U, S, _ = np.linalg.svd(centered, full_matrices=False)
    return U * S, S**2 / (S**2).sum()


X = table[rows]  # (47, D): the nouns in the singular; change this to start[rows] and run it again
coordinates, shares = principal_components(X)
print("shape", X.shape, " first coordinates", coordinates[0, :3].round(2), "of", nouns[0].german)
print("share of the variance, in percent:", *(100 * shares[:8]).round(1))
print("the same of the random table:     ", *(100 * principal_components(start[rows])[1][:8]).round(1))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import AMBER, GREEN, GREY, ORANGE, PINK, main_color

COLORS = dict(zip((*GROUPS, "things"), (main_color(), ORANGE, GREEN, PINK, AMBER, GREY), strict=True))


def plot_words(ax, coordinates, title):
    """Write each noun at its first two coordinates, in the color of its kind."""
    for kind, color in COLORS.items():
        ax.plot(*coordinates[kinds == kind, :2].T, ".", color=color, label=kind)
    ax.set(xlabel="component 1", ylabel="component 2", title=title)
    ax.margins(0.1)
    ax.autoscale_view()
    dots, labels = ax.transData.transform(coordinates[:, :2]) * 72 / ax.figure.dpi, []  # in points
    for i in dots[:, 1].argsort():
        x, y = dots[i]
        while any(abs(x - other_x) < 32 and abs(y - other_y) < 6 for other_x, other_y in labels):
            y += 1  # above the labels that are there
        labels.append((x, y))
        look = {"textcoords": "offset points", "color": COLORS[kinds[i]], "fontsize": 8}
        ax.annotate(nouns[i].german, coordinates[i, :2], (2, 2 + y - dots[i, 1]), **look)


figure, (left, right) = new_figure(1, 2, width=13, height=6.5)
plot_words(left, principal_components(start[rows])[0], "before training")
plot_words(right, coordinates, "after training")
right.legend(fontsize=8)
as_given = D == 32 and np.array_equal(X, table[rows])
assert not as_given or shares[:2].sum() > 1.3 * principal_components(start[rows])[1][:2].sum()
figure

# %% [markdown]
# Before training no component holds much more than another. After it the first two hold three tenths of the variance,
# and the groups are there: people, places, food and drinks. They have gaps inside, too: *Vater*, *Bruder* and *Freund*
# are together, *Mutter* and *Schwester* elsewhere.
#
# Seven tenths of the variance are *not* in the picture. Words that touch here may be far apart in the other 30
# dimensions; cosines use all of them.
#
#
# ## One table or two
#
# With `tie_embeddings="all"` the same table reads words and scores the next one (section 3.4). Train the same model with two
# tables, and ask both who is next to whom:

# %%
untied = language_model(tie_embeddings="none")
untied_losses = train(untied)
tables = {
    "tied": table,
    "input": untied.decoder.input_embedding.embedding.table.data,
    "output": untied.generator.table.data,
}
print(f"loss after 600 updates: tied {losses[-50:].mean():.2f}, two tables {untied_losses[-50:].mean():.2f}")
for name, rows_of in tables.items():
    print(name)
    for word in ("hund", "vater", "birne"):  # dog, father, pear; change these and run it again
        print(f"  {word:6}", "  ".join(f"{other} {cosine:.2f}" for other, cosine in neighbors(rows_of, word, 5)))

# %% [markdown]
# Put a number on it: of the three nearest nouns of each noun, how many have its gender, and how many are of its kind
# (people, animals, food, drinks, places, things)?

# %%
K = 3  # nearest nouns; change this to 1 or 8 and run it again
alike = {"same gender": genders[:, None] == genders, "same kind": kinds[:, None] == kinds}
print("table     ", *(f"{name:>12}" for name in alike))
found = {}
for name, rows_of in {"untrained": start, **tables}.items():
    nearness = cosines(rows_of[rows])
    np.fill_diagonal(nearness, -2)
    nearest = np.argsort(-nearness, axis=1)[:, :K]  # (nouns, K)
    found[name] = [np.take_along_axis(same, nearest, 1).mean() for same in alike.values()]
    print(f"{name:10}", *(f"{share:12.0%}" for share in found[name]))

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2.8)
places = np.arange(len(found))
for offset, color, label, values in zip(
    (-0.2, 0.2), (main_color(), ORANGE), alike, zip(*found.values(), strict=True), strict=True
):
    ax.bar(places + offset, values, 0.4, color=color, label=label)
ax.set(xticks=places, xticklabels=found, ylabel="share of the nearest nouns", ylim=(0, 1))
ax.legend()
if (D, K) == (32, 3):
    assert found["output"][0] > found["input"][0] + 0.15 and found["input"][1] > found["output"][1] + 0.1
figure

# %% [markdown]
# The input table sorts nouns by kind and hardly sees their gender. The output table sorts them by gender first. Think
# of where each is used. An output row is compared with what the model has read *before* the word: after "ich sehe
# einen" (I see a) only a masculine noun is possible. An input row is read *after* the word was written: the article
# is past, and what counts is what can follow, which verb and which object.
#
# The tied table has to serve both, and is between them. It has half the numbers and its loss is a little higher here.
# The paper ties all three tables of 37,000 rows; each row then gets gradients from every use. (With $D = 8$ no table
# sorts well: eight numbers are too few for kind and gender.)
#
#
# ## Why times sqrt(d_model)?
#
# The table starts with numbers of size $1/\sqrt{d_{model}}$, because as a generator it should give logits of size 1.
# The positions that are added have a size of 0.71. So the embedding layer multiplies by $\sqrt{d_{model}}$ (notebook
# 14 has the numbers at the start). Does training not repair this anyway? Train without the factor:

# %%
sizes = {}
print("factor   embedding, start -> end   positions   loss after 100, 300, 600")
for factor in (1.0, np.sqrt(D), D):  # change these and run it again
    scaled, curve = model, losses  # of the paper's factor, in the middle: the model from above
    if factor != np.sqrt(D):
        scaled = language_model()
        scaled.decoder.input_embedding.embedding.scale = factor
        curve = train(scaled)
    before = factor * np.sqrt(np.mean(start**2))
    after = factor * np.sqrt(np.mean(scaled.generator.table.data[: len(words)] ** 2))
    sizes[factor] = curve
    ends = "  ".join(f"{curve[n - 50 : n].mean():.2f}" for n in (100, 300, 600))
    print(f"{factor:6.2f} {before:13.2f} -> {after:.2f} {np.sqrt(0.5):18.2f}   {ends}")

# %% tags=["hide-input"]
from npformer.visualization.plots.curves import running_mean

figure, ax = new_figure(width=7, height=3)
looks = zip(sizes.items(), (ORANGE, main_color(), GREEN), ("--", "-", ":"), strict=False)
for (factor, curve), color, style in looks:
    ax.plot(running_mean(curve, 20), style, color=color, linewidth=2, label=f"times {factor:.2f}")
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(1.8, 5))
ax.legend()
figure

# %% [markdown]
# Training repairs little of it. Without the factor the words end at 0.23, a third of the positions: with any factor the
# rows grow by about a quarter, so what they start with stays. The model learns more slowly, and after 600 updates its
# loss is still 0.08 higher (0.10 and 0.07 from two other seeds). With a factor of 32 the words are ten times as large
# as the positions, which is worse: the order of the words is hard to see. At $d_{model} = 512$ the words without the
# factor would start at a sixteenth of the positions, and not at a fourth.
#
#
# ## Frequency and norm
#
# A cosine ignores how long a row is. What is in the norm? Compare it with how often each word occurs:

# %%
counts = np.bincount(np.concatenate(sentences), minlength=V)  # change the classes and run it again
classes = {"never": (0, 1), "1 to 99": (1, 100), "100 to 999": (100, 1000), "1000 and more": (1000, 1e9)}
norms = {name: np.linalg.norm(rows_of, axis=1) for name, rows_of in tables.items()}
print("occurs          words   norm:", *(f"{name:>8}" for name in norms))
for label, (low, high) in classes.items():
    chosen = (counts >= low) & (counts < high) & (np.arange(V) > 3)
    print(f"{label:14} {chosen.sum():6}        ", *(f"{norm[chosen].mean():8.2f}" for norm in norms.values()))
unused = slice(len(words), V)
for name, rows_of in {"untrained": start, **tables}.items():
    between = cosines(rows_of[unused])[np.triu_indices(20, 1)].mean()
    print(f"mean cosine between the twenty unused words, {name:9}: {between:5.2f}")

# %% tags=["hide-input"]
figure, axes = new_figure(1, 3, width=12, height=3.2)
for ax, (name, norm) in zip(axes, norms.items(), strict=True):
    ax.plot(np.maximum(counts[4:], 0.5), norm[4:], "o", color=main_color(), markersize=3)
    ax.plot(np.full(20, 0.5), norm[unused], "o", color=ORANGE, markersize=4, label="unused words")
    ax.set(xscale="log", xlabel="occurrences (0.5 stands for none)", title=f"table: {name}", ylim=(0, 2.6))
axes[0].set_ylabel("norm of the row")
axes[0].legend()
initial = language_model(tie_embeddings="none").decoder.input_embedding.embedding.table.data
assert np.array_equal(tables["input"][unused], initial[unused])  # nothing ever reads these rows
assert D != 32 or cosines(tables["output"][unused]).mean() > 0.6
figure

# %% [markdown]
# Look at the unused words first. In the input table they are bit for bit as they started: no sentence reads them, so
# their gradient is always 0. In the output table every position of every sentence says to all twenty "not you". They
# get the same push again and again, until they all point the same way, and their rows are *longer* than those of rare
# words. Real vocabularies have such tokens too. In a tied model, a text that contains one gives the model a vector
# that it has never read.
#
# Among the others, frequent words have the longer rows, most where the table is an output: a longer row can raise or
# lower its logit more. In the input table they are longer too, but less: a row moves only when its word is read. So a
# ranking by dot product favors frequent words, and a ranking by cosine does not.
#
#
# ## Directions with a meaning?
#
# "King minus man plus woman is queen": differences of rows often carry meaning, as many texts report. Test it with
# endings. German *kluge* becomes *klugen* in other cases, and so do other adjectives. Is *klugen* - *kluge* + *nette*
# nearest to *netten*?

# %%
STEMS = ("klug", "nett", "alt", "jung", "klein", "groß")  # clever, nice, old, young, small, big; change and run again
unit = {name: rows_of / np.linalg.norm(rows_of, axis=1, keepdims=True) for name, rows_of in tables.items()}
pairs = [(a, b) for a in STEMS for b in STEMS if a != b]
print("table    a - b + c is correct   correct, inputs excluded   nearest to c, excluded")
for name, E in unit.items():
    correct = np.zeros(3)
    for a, b in pairs:
        known = [words.ids[word] for word in (a + "en", a + "e", b + "e")]
        goal, target = words.ids[b + "en"], E[known[0]] - E[known[1]] + E[known[2]]
        for i, (query, left_out) in enumerate(((target, []), (target, known), (E[known[2]], known))):
            nearness = E @ query
            nearness[left_out] = -np.inf
            correct[i] += nearness.argmax() == goal
    print(f"{name:8} {correct[0] / len(pairs):20.0%} {correct[1] / len(pairs):26.0%} {correct[2] / len(pairs):23.0%}")

# %% [markdown]
# Taken literally, the arithmetic fails: the result is nearly always closest to one of the three words that went in.
# Published results often leave these out. Then 10 to 27% are correct: far more than chance among 462 words, and also
# more than the nearest neighbor of *nette* alone, which is never correct. But it is far from a law. Ask
# each time what was excluded, and what the nearest neighbor alone would have scored.
#
#
# ## Questions
#
# **1.** Multiply all rows of the output table of an untied model by 2. Which cosines change, and what does the model
# do?
#
# <details><summary>Answer</summary>
#
# No cosine changes. All logits double, so the probabilities become sharper, as with a temperature of 0.5 (notebook
# 19).
#
# </details>
#
# **2.** PCA of the whole tied table, and not of the nouns alone: which words would you expect at the ends of the first
# component?
#
# <details><summary>Answer</summary>
#
# Frequency, as in the section on norms: *nicht*, *im* and the full stop are at one end, the unused words at the other.
# Among the words that occur, the coordinate has a correlation of 0.91 with the logarithm of their counts, 0.81 in the
# output table, and only 0.22 in the input table. An output without a bias has to keep in its rows how probable each
# word is. So name a component with care: it depends on the words that you chose, and on the use of the table.
#
# </details>
#
# **3.** Two words have a cosine of 0.9 in the tied table. May you say that they mean the same?
#
# <details><summary>Answer</summary>
#
# No. They occur in the same places. *montags* and *freitags* do not mean the same, and neither do "good" and "bad" in
# other corpora: opposites share contexts.
#
# </details>
#
# %% tags=["hide-input"]
occur = np.flatnonzero(counts[: len(words)])
correlation = {}
for name, rows_of in tables.items():
    first = principal_components(rows_of[4:])[0][:, 0]  # without the four special tokens
    ends = [[names[4 + i] for i in order[:3]] for order in (first.argsort(), (-first).argsort())]
    first = principal_components(rows_of[occur])[0][:, 0]
    correlation[name] = abs(np.corrcoef(first, np.log(counts[occur]))[0, 1])
    print(f"{name:6} {', '.join(ends[0])} ... {', '.join(ends[1])}")
    print(f"       correlation with log(count), of the words that occur: {correlation[name]:.2f}")
assert D != 32 or (correlation["tied"] > 0.8 and correlation["output"] > 0.7 and correlation["input"] < 0.4)

# %% [markdown]
# Next: [notebook 29](29_why_self_attention.ipynb), why self-attention.
#
# Write it yourself: exercises embedding, tied_generator. `npformer course start my-course` begins the course.
