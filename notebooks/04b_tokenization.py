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
# # 04b Tokenization: byte-pair encoding
#
# **The idea:** start with characters and join the most frequent pair of neighbors, again and again. Frequent words
# become one token, rare words several, and no word is unknown.
#
# Paper: section 5.1 (one vocabulary of about 37,000 tokens for English and German); Sennrich et al. 2016. About 35
# minutes. What you need before: Python's `dict` and `Counter`, nothing of the notebooks before this one.

# %%
# %matplotlib inline
from collections import Counter
from itertools import pairwise

from npformer.text import SubwordVocabulary, Vocabulary

# %% [markdown]
# ## Words or characters?
#
# A model reads ids, so a text must be cut into tokens, and each token must be a row of the embedding table. The
# obvious cuts are words and characters. Build both vocabularies from four sentences and encode a fifth:

# %%
seen = ["The dog sees the cat.", "The cat sees a small dog.", "A dog is small.", "The smallest cat is here."]
new = "The smaller dog is here."  # change this to one of the four sentences, or to "A cat!", and run it again
for unit in ("words", "characters"):
    vocabulary = Vocabulary.build(seen, unit=unit)
    ids = vocabulary.encode(new)
    print(f"{unit}: {len(vocabulary)} tokens in the vocabulary, {len(ids)} in the sentence")
    print("  ids ", ids)
    print("  read", vocabulary.decode(ids), "  unknown:", vocabulary.unknown(new))

# %% [markdown]
# Both begin with four special tokens: 0 `<pad>`, 1 `<unk>`, 2 `<bos>`, 3 `<eos>`. In words, *smaller* has no row and
# becomes `<unk>`: the model cannot know that it has anything to do with *small*, and no later layer can recover it.
# German, with its compounds, has a new word on every page.
#
# In characters nothing is unknown. But the sentence is four times as long, attention compares every position with
# every other (16 times the scores), and the model has to learn spelling before it can learn anything else.
#
# ## Count the pairs
#
# Byte-pair encoding starts from characters. Take four words and how often each occurs. A mark `_` ends each word, so
# that "est" at the end of a word differs from "est" in the middle.

# %%
counts = {"low_": 5, "lower_": 2, "newest_": 6, "widest_": 3}  # change these and run the cells of this section again


def count_pairs(words, counts):
    """Return how often each pair of neighboring tokens occurs; `words` has each word's tokens."""
    pairs = Counter()
    for word, tokens in words.items():
        for pair in pairwise(tokens):
            pairs[pair] += counts[word]
    return pairs


words = {word: list(word) for word in counts}
for word, tokens in words.items():
    print(f"{counts[word]} x ", *tokens)
pairs = count_pairs(words, counts)
print(*(f"{a} {b}: {n}" for (a, b), n in pairs.most_common(9)), sep="    ")

# %% [markdown]
# *e s* occurs 9 times, 6 times in *newest* and 3 times in *widest*. Join it everywhere, and count again:


# %%
def join(tokens, pair):
    """Return tokens with every occurrence of a pair joined into one token."""
    joined, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            joined.append(tokens[i] + tokens[i + 1])
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


best = max(pairs, key=pairs.get)
words = {word: join(tokens, best) for word, tokens in words.items()}
print("joined:", *best)
for word, tokens in words.items():
    print(f"{counts[word]} x ", *tokens)
print(*(f"{a} {b}: {n}" for (a, b), n in count_pairs(words, counts).most_common(9)), sep="    ")

# %% [markdown]
# Repeat this $n$ times, and you have trained a tokenizer. What it has learned is the list of merges, *in their
# order*:


# %%
def learn(counts, n):
    """Return n merges, and the tokens of every word after each of them."""
    words = {word: list(word) for word in counts}
    merges, states = [], [words]
    for _ in range(n):
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        merges.append(max(pairs, key=pairs.get))
        words = {word: join(tokens, merges[-1]) for word, tokens in words.items()}
        states.append(words)
    return merges, states


merges, states = learn(counts, 10)
for n, (merge, words) in enumerate(zip(merges, states[1:], strict=True), start=1):
    print(f"{n:2}  {' + '.join(merge):10}", "   ".join(" ".join(tokens) for tokens in words.values()))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import BLUE, GREEN, GREY, ORANGE, main_color


def plot_tokens(ax, rows, title):
    """Draw a row of boxes for each list of tokens; a box is as wide as its token has characters."""
    for y, tokens in enumerate(rows.values()):
        x = 0
        for token in tokens:
            color = GREY if len(token) == 1 else BLUE
            ax.barh(y, len(token) - 0.1, left=x + 0.05, height=0.7, color=color, alpha=0.35 if len(token) == 1 else 1)
            inside = None if len(token) == 1 else "white"
            ax.text(x + len(token) / 2, y, token, ha="center", va="center", color=inside)
            x += len(token)
    ax.set(
        title=title, yticks=range(len(rows)), yticklabels=rows, xlim=(0, 7.2), ylim=(len(rows) - 0.5, -0.5), xticks=[]
    )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


figure, axes = new_figure(1, 4, width=12, height=2.2)
for ax, n in zip(axes, (0, 2, 6, 10), strict=True):
    state = states[min(n, len(states) - 1)]
    rows = {f"{counts[word]} x" if ax is axes[0] else " " * i: tokens for i, (word, tokens) in enumerate(state.items())}
    plot_tokens(ax, rows, f"{n} merges")
figure

# %% [markdown]
# After ten merges *low_* and *newest_* are single tokens, and *est_* is one that *widest_* uses.
#
# ## Apply the merges
#
# A new word is cut into characters. Then, of all neighbors that are in the list, the pair that was learned *first* is
# joined, until none is left. The word *lowest* was not among the four:


# %%
def apply(word, merges, show=False):
    """Return the tokens of a word."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = list(word)
    while True:
        if show:
            print(" ", *tokens)
        found = [pair for pair in pairwise(tokens) if pair in ranks]
        if not found:
            return tokens
        tokens = join(tokens, min(found, key=ranks.get))


apply("lowest_", merges, show=True)  # change this to "slower_" or "widens_" and run it again

# %% tags=["hide-input"]
assert merges[:3] == [("e", "s"), ("es", "t"), ("est", "_")]
assert apply("lowest_", merges) == ["low", "est_"]
assert all(apply(word, merges) == states[-1][word] for word in counts)

# %% [markdown]
# Two tokens, and both are units of meaning, although nobody told the program what a suffix is. (That is luck of
# frequency, not grammar: it also made *ne* of *newest*.) The order matters. If the longest possible token were taken
# first, the same letters could be cut in different ways in different words.
#
# ### What about characters that were never seen?
#
# An *x* is in none of the four words, so it would still be `<unk>`. The usual way out: start from *bytes*, of which
# there are 256. UTF-8 writes every character of every language as one to four bytes.

# %%
for character in ("x", "ß", "€", "雪"):
    print(character, list(character.encode("utf-8")))

# %% [markdown]
# `SubwordVocabulary` of npformer does this. A vocabulary of $4 + 256 + n$ tokens has $n$ merges, and `<unk>` is never
# used.
#
# ## The same merges as the library
#
# In npformer the library *tokenizers* counts and merges, because it is fast. Does it learn what `learn` would? Take
# 1,500 German sentences of the phrasebook. `SubwordVocabulary.words` cuts a text into words with their marks: ÿ ends
# a word, þ ends a word with a capital, ü stands for a missing space (each is a byte that no text has).

# %%
from npformer.datasets.synthetic import phrasebook

pairs, held_out = phrasebook.split(1500, 200)
lines, new_lines = [pair.target for pair in pairs], [pair.target for pair in held_out]
german = Counter(word for line in lines for word in SubwordVocabulary.words(line))
print(lines[1])
print(*SubwordVocabulary.words(lines[1]))
print(f"{sum(german.values()):,} words, {len(german)} different; the most frequent:", german.most_common(2))

# %% [markdown]
# When two pairs are equally frequent, something has to decide. The library takes the pair with the smaller ids, so
# ids have to be kept: first the special tokens, then the bytes, then each new token. Counting all pairs again after
# each merge is slow but plain.

# %%
SIZE = 600  # tokens; change this to 320 and run it again

byte_tokens = SubwordVocabulary.build(lines, size=260).to_json()["model"]["vocab"]


def learn_as_library(counts, size):
    """Return merges until the vocabulary has `size` tokens; ties go to smaller ids."""
    ids = dict(byte_tokens)
    words, merges = {word: list(word) for word in counts}, []
    while len(ids) < size:
        pairs = count_pairs(words, counts)
        best = max(pairs, key=lambda pair: (pairs[pair], -ids[pair[0]], -ids[pair[1]]))
        if pairs[best] < 2:
            break
        merges.append(best)
        ids.setdefault("".join(best), len(ids))
        words = {word: join(tokens, best) for word, tokens in words.items()}
    return merges, words


mine, cut = learn_as_library(german, SIZE)
library = SubwordVocabulary.build(lines, size=SIZE)
theirs = [tuple(merge) for merge in library.to_json()["model"]["merges"]]
print(f"{len(mine)} merges; equal to the library's, in the same order: {mine == theirs}")
for first in (0, 100, 300):
    print(f"from {first:3}:", "   ".join(" + ".join(merge) for merge in mine[first : first + 7]))

# %% tags=["hide-input"]
assert mine == theirs
name_of = {i: token for token, i in library.to_json()["model"]["vocab"].items()}
for line in new_lines[:50]:
    tokens = [token for word in SubwordVocabulary.words(line) for token in apply(word, mine)]
    assert tokens == [name_of[i] for i in library.encode(line)]

# %% [markdown]
# Among the first merges are endings, *en* and *e* with the mark. Later ones complete whole words. On 50 new sentences
# `apply` also cuts exactly as `library.encode` does; the folded check compares them. `split` shows the tokens with
# readable marks: ▁ ends a word, ⇧ says that it has a capital, ‿ that there was no space.

# %%
for text in (new_lines[0], "Der Giraffenvater sieht Schnee."):  # change this to any text and run it again
    print(text)
    print(" ", *library.split(text))
    assert library.decode(library.encode(text)) == text

# %% [markdown]
# The phrasebook has no giraffes, and yet the word is encoded, and decoding returns the text to the last letter.
#
# ## How many merges?
#
# Each merge adds a row to the embedding table and shortens the texts that contain its pair. Count both on the new
# sentences. The fourth column is the price: how many tokens of the vocabulary occur fewer than ten times in the text
# that it was learned from, so that their rows see hardly any gradient.

# %%
SIZES = (260, 280, 300, 350, 400, 500, 600, 800, 1000)  # change this to (260, 5000) and run it again
table = []
print("tokens  merges   tokens per sentence   fewer than 10 times   of these, never")
for size in SIZES:
    vocabulary = SubwordVocabulary.build(lines, size=size)
    length = sum(len(vocabulary.encode(line)) for line in new_lines) / len(new_lines)
    used = Counter(i for line in lines for i in vocabulary.encode(line))
    joined = range(260, len(vocabulary))
    rare, never = sum(used[i] < 10 for i in joined), sum(used[i] == 0 for i in joined)
    table.append((len(joined), length, rare))
    print(f"{len(vocabulary):6} {len(joined):7} {length:21.1f} {rare:21} {never:17}")
by_word = sum(len(SubwordVocabulary.words(line)) for line in new_lines) / len(new_lines)
print(f"words and punctuation marks per sentence: {by_word:.1f}")

# %% tags=["hide-input"]
figure, (left, right) = new_figure(1, 2, width=10, height=3)
n_merges, lengths, rare = zip(*table, strict=True)
left.plot(n_merges, lengths, "o-", color=main_color(), linewidth=2, label="subwords")
left.axhline(by_word, color=GREY, linewidth=1, linestyle="--", label="words")
left.set(xlabel="merges", ylabel="tokens per sentence", ylim=(0, None))
left.legend()
right.plot(n_merges, rare, "o-", color=ORANGE, linewidth=2)
right.set(xlabel="merges", ylabel="tokens seen fewer than 10 times", ylim=(0, None))
assert lengths[0] > 3 * by_word and list(lengths) == sorted(lengths, reverse=True)
assert SIZES != (260, 280, 300, 350, 400, 500, 600, 800, 1000) or rare[-1] > 100
figure

# %% [markdown]
# The first hundred merges bring most of the gain. Later ones join what is rare anyway: shorter sequences for few
# sentences, and rows that are hardly trained. Most of the rare tokens are never used at all: they were steps on the
# way to a longer one. The paper's 37,000 tokens serve two languages and 4.5 million sentence pairs; with few data a
# few thousand merges or fewer are better.
#
# ## Subword regularization: draw other cuts
#
# There is always exactly one cut by the rule above. So a model sees *newest* always as one token, and never learns
# what is in it. BPE-dropout (Provilkov et al. 2020) leaves out each possible merge with probability `share` while a
# word is being cut, and draws again in every epoch. It changes one line of `apply`:

# %%
import random

from npformer.text import SubwordDropout


def apply_with_dropout(word, merges, share, rng):
    """Return the tokens of a word, with each possible merge left out with probability `share`."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = list(word)
    while True:
        found = [(ranks[p], i) for i, p in enumerate(pairwise(tokens)) if p in ranks and rng.random() >= share]
        if not found:
            return tokens
        _, i = min(found)
        tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]


WORD, SHARE = "schwesterÿ", 0.1  # change the share to 0, 0.5 or 1 and run the section again
rng = random.Random(0)
drawn = Counter(" ".join(apply_with_dropout(WORD, mine, SHARE, rng)) for _ in range(1000))
for tokens, n in drawn.most_common(6):
    print(f"{n:4}  {tokens}")
print(f"{len(drawn)} different cuts in 1000 draws")

# %% tags=["hide-input"]
dropout = SubwordDropout(library, lines, share=SHARE, seed=0)
one, other = random.Random(1), random.Random(1)
for word in list(german)[:200]:
    assert [library.to_json()["model"]["vocab"][t] for t in apply_with_dropout(word, mine, SHARE, one)] == dropout.cut(
        word, other
    )

# %% [markdown]
# The usual cut is still the most frequent one. `SubwordDropout` in npformer does the same; with the same random
# numbers it returns the same cuts. In training, every epoch reads the sentences in another way, and validation uses
# the usual cut:

# %%
dropout = SubwordDropout(library, ["Die Ärzte können fernsehen."], share=0.1, seed=0)
for epoch in (1, 2, 3):
    print(epoch, *(library.tokens[i] for i in dropout.epoch(epoch)[0]))

# %% [markdown]
# What does `share` do to the lengths?

# %%
shares = [0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0]
tokens_per_word = []
for share in shares:
    rng = random.Random(0)
    n_tokens = sum(n * len(apply_with_dropout(word, mine, share, rng)) for word, n in german.items())
    tokens_per_word.append(n_tokens / sum(german.values()))
print("share          ", *(f"{share:5}" for share in shares))
print("tokens per word", *(f"{n:5.2f}" for n in tokens_per_word))

# %% tags=["hide-input"]
figure, ax = new_figure(width=6, height=2.8)
ax.plot(shares, tokens_per_word, "o-", color=main_color(), linewidth=2)
ax.axvline(0.1, color=GREEN, linewidth=1, linestyle="--", label="0.1, as in the paper on BPE-dropout")
ax.set(xlabel="share of merges left out", ylabel="tokens per word", ylim=(0, None))
ax.legend()
assert tokens_per_word == sorted(tokens_per_word)
figure

# %% [markdown]
# At 0 it is byte-pair encoding, at 1 it is bytes.
#
# ## Questions
#
# **1.** Two trainings use the same data and 8,000 and 16,000 merges. Which of their losses per token is lower, and
# can you compare them?
#
# <details><summary>Answer</summary>
#
# Usually the one with 8,000: its tokens are shorter, and each is easier to predict. You cannot compare the two: the
# same sentence has different numbers of tokens. Compare the sum over a sentence, or divide by its characters
# ([notebook 08b](08b_what_is_a_good_translation.ipynb)).
#
# </details>
#
# **2.** Why is one vocabulary for English and German a good idea, and for English and Chinese less so?
#
# <details><summary>Answer</summary>
#
# English and German share letters, names, numbers and many stems, so their tokens are used by both, and the paper
# ties the embedding tables (section 3.4). Chinese shares hardly any, and each language would have about half of the
# rows.
#
# </details>
#
# **3.** The mark ends a word here. Many tokenizers mark the *beginning* instead (" low", "▁low"). Name one thing that
# is easier with each.
#
# <details><summary>Answer</summary>
#
# With a mark at the end, a generator knows when a word is complete, and *Mann* can share its token with the end of
# *Schneemann*. With a mark at the beginning, stems share a token with the start of longer words: *low* and *low er*.
#
# </details>
#
# ---
#
# Write it yourself: exercises 29 byte_pair_merges, and 18 embedding for the layer that turns ids into vectors.
# `npformer class start my-course` begins the course. To train with subwords: `npformer train phrasebook --unit subwords`.
#
# Next: [notebook 05a](05a_backpropagation_from_zero.ipynb), where gradients are computed by hand.
