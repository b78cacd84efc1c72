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
# *Part IV, Understand it. Before: [26](26_looking_at_attention.ipynb). Next: [28](28_lstm_with_attention.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Every word enters the model as a row of numbers, and training has chosen them all. What has it put there? A single
# number says nothing. Directions do, but the answer depends on what a table is used for, and models use theirs twice.
#
# **After this you can** find the neighbors of a word in a table; draw a table in two dimensions, and say what the
# picture leaves out; tell what an input table knows from what an output table knows.
#
# Paper: section 3.4. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics, word_tables
from helpers.compare import compare
from npformer_course import Bet, exercise

schematics.two_uses_of_a_row()

# %% [markdown]
# ## Neighbors
#
# The task should be about words. So take the German of the phrasebook and a small decoder that predicts each next word,
# as in notebook 23, with 32 features. German nouns have a gender: *der Hund* (dog) is masculine, *die Katze* (cat)
# feminine, *das Pferd* (horse) neuter. Nobody tells the model. Two models are trained here, one with a single table for
# reading and scoring (*tied*, as in the paper), and one with two. 600 updates each; the highest rate, 0.006, is the
# best of three.

# %%
tables = word_tables.trained_tables()
names = word_tables.names_of_rows()  # 466 tokens, and 20 rows whose words never occur
tables.tied.shape

# %% [markdown]
# The cosine of two rows is their dot product divided by both lengths, and the **neighbors** of a word are the words
# whose rows have the largest cosines with its row. Random rows of 32 numbers have cosines around 0 with a standard
# deviation of $1/\sqrt{32} = 0.18$.
#
# **Write** the cosines of one row with all, and its neighbors.


# %%
def cosines(table, row):
    """Return the cosine of one row of the table with each of its rows (V,).

    table (V, D): no row is all zeros. row: the number of a row. The table is not changed.
    """
    raise NotImplementedError


def neighbors(table, row, n):
    """Return the numbers of the n rows nearest to a row by cosine (n,), the nearest first.

    The row itself is not among them. table (V, D): no row is all zeros, none points exactly the
    other way, and no two have the same cosine. row: the number of a row. n: from 1 to V - 1. The
    table is not changed.
    """
    raise NotImplementedError


# %%
cosines, neighbors = exercise("cosine_neighbors").check(cosines, neighbors)

# %%
found = {}
for word in ("hund", "kaffee", "montags", "sieben", "den"):  # dog, coffee, on Mondays, seven, the; change them
    row = names.index(word)
    found[word] = [names[i] for i in neighbors(tables.tied, row, 4)]
found

# %% [markdown]
# The first neighbors of a number are numbers, of a drink drinks, of a day days. Nobody gave the model a dictionary:
# words that occur between the same words get similar gradients. But *hund* is next to *vogel* (bird), and then to
# *freund* (friend) and *computer*. What have these four in common? They are masculine. Remember this.
#
# ## A picture in two dimensions
#
# Principal component analysis finds the directions in which rows differ most: subtract the mean row and take the
# singular value decomposition $X = U S V^\top$. Row $i$ has the coordinate $U_{ic} S_c$ along component $c$, and the
# share of component $c$ in all differences is $S_c^2 / \sum S^2$.
#
# **Write** the first two coordinates of the 47 nouns, and the share of these two components.

# %%
rows, kinds, genders = word_tables.kinds_and_genders()  # (47,) each
X = tables.tied[rows]
U, S, _ = np.linalg.svd(X - X.mean(0), full_matrices=False)  # (47, 32), (32,)
expected = word_tables.expected_lines(X)
coordinates = ...  # (47, 2)
share = ...  # one number

# %%
coordinates = expected.check(coordinates=coordinates)
share = expected.check(share=share)

# %% tags=["hide-input"]
word_tables.show_nouns(tables.untrained[rows], coordinates)

# %% [markdown]
# The groups are there: people on the left, places at the bottom, food and drinks on the right, among things. And inside
# a group there are gaps: *Vater*, *Bruder* and *Freund* are together, *Mutter* and *Schwester* elsewhere.
#
# Your `share` is 0.30, so seven tenths of the (squared) differences are *not* in the picture. Words that touch may be
# far apart in the other 30 dimensions. Cosines use all of them.
#
# ## Gender against kind
#
# What makes two words neighbors, their gender or their kind? Ask the three nearest nouns of every noun: how many have
# its gender, and how many are of its kind (people, animals, food, drinks, places, things)? By chance it would be 0.34
# and 0.18.
#
# The model with two tables keeps apart what the paper's model mixes. An **input** row is used after the word was read.
# An **output** row is compared with what has been read *before* the word, and scores it.

# %%
bet = Bet("Where do more of a noun's neighbors have its gender than are of its kind?", ["input", "output", "both"])
bet.place(...)

# %%
shares = {}
for name in ("untrained", "input", "output", "tied"):
    nouns = getattr(tables, name)[rows]
    nearest = np.array([neighbors(nouns, i, 3) for i in range(47)])  # (47, 3)
    same_gender = genders[nearest] == genders[:, None]
    same_kind = kinds[nearest] == kinds[:, None]
    shares[name] = {"same gender": same_gender.mean(), "same kind": same_kind.mean()}
by_gender = [name for name in ("input", "output") if shares[name]["same gender"] > shares[name]["same kind"]]
bet.settle("both" if len(by_gender) == 2 else by_gender[0])
compare(tables.losses["tied"], 2.26, "training loss at the end, one table", tolerance=0.01)
compare(tables.losses["two tables"], 2.18, "training loss at the end, two tables", tolerance=0.01)

# %% tags=["hide-input"]
word_tables.show_shares(shares)

# %% [markdown]
# The input table sorts by kind, and its neighbors agree in gender no more often than chance would have it among nouns
# of one kind (0.28). The output table sorts by gender first. That fits what they are used for. After "ich sehe einen" (I see a) only a masculine noun is possible, so
# a row that is to be scored must say its gender. Once the noun has been read, the article is past. What counts then is
# what can follow: which verb, which object.
#
# The tied table serves both and is between them. Its training loss at the end is 2.26 nats per word, where two tables
# have 2.18 and one that knows nothing $\ln 486 = 6.19$. And it has half the numbers. The paper ties all its tables of
# 37,000 rows.
#
# ## Words that never occur
#
# Twenty rows belong to no word of the text. What does training make of them?

# %%
unused = slice(len(names) - word_tables.N_UNUSED, len(names))
between = {}
for name in ("input", "output"):
    of_unused = getattr(tables, name)[unused]
    all_pairs = np.array([cosines(of_unused, i) for i in range(20)])
    between[name] = (all_pairs.sum() - 20) / (20 * 19)
compare(between["input"], 0.01, "mean cosine of two unused rows, input", tolerance=0.5)
compare(between["output"], 0.83, "mean cosine of two unused rows, output", tolerance=0.05)
nearest = word_tables.nearest_by_dot_product(tables.tied)  # (462,), a row for each word
compare(np.mean(nearest >= unused.start), 0.25, "words with an unused row nearest by dot product", tolerance=0.2)
of_length_1 = tables.tied / np.linalg.norm(tables.tied, axis=1, keepdims=True)
nearest = word_tables.nearest_by_dot_product(of_length_1)
compare(np.mean(nearest >= unused.start), 0.01, "words with an unused row nearest by cosine", tolerance=0.5)

# %% tags=["hide-input"]
word_tables.show_norms(tables)

# %% [markdown]
# In the input table they are as they started, bit for bit: no sentence reads them, so their gradient is always 0. In
# the output table every position of every sentence says to all twenty "not you". They get the same push again and
# again, until all point the same way, and they are *longer* than rare words.
#
# So a dot product is no measure of neighbors. A long row has a large one with every row that points roughly its way: in
# the tied table an unused row would be the nearest to a quarter of all words, by cosine it is to 1 %.
#
# Real vocabularies have such tokens, because somebody else's text was used to choose the subwords. In a tied table a
# prompt that contains one gives the model a vector that it has never read. "SolidGoldMagikarp", the name of a user,
# which GPT-2 and GPT-3 could not repeat, is thought to be such a token (Rumbelow and Watkins 2023).
#
# ## Three questions
#
# **1.** Multiply all rows of an output table by 2. Which cosines change, and what does the model do?
#
# <details><summary>Answer</summary>
#
# No cosine changes. All logits double, so the probabilities become sharper, as with a temperature of 0.5 ([notebook
# 24](24_generating_text.ipynb)).
#
# </details>
#
# **2.** Two words have a cosine of 0.9 in the tied table. May you say that they mean the same?
#
# <details><summary>Answer</summary>
#
# No. They occur in the same places. *montags* and *freitags* do not mean the same, and neither do "good" and "bad" in
# other texts: opposites share contexts.
#
# </details>
#
# **3.** "King minus man plus woman is queen." Before you believe it, which two things would you ask?
#
# <details><summary>Answer</summary>
#
# Whether the three words that went in were allowed as answers; without that rule the result is nearly always closest to
# one of them. And what the nearest neighbor of "king", with the same words left out, would have scored by itself.
#
# </details>

# %% [markdown]
# **You can now**
#
# - find neighbors by cosine, and say why not by dot product;
# - draw a table in two dimensions, and state how much the picture leaves out;
# - say what an input row and an output row have to know, and what becomes of rows that nobody uses.
#
# Next: [notebook 28](28_lstm_with_attention.ipynb), what attention replaced.
