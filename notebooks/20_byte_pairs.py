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
# # 20 Tokenization: byte-pair encoding
#
# **The idea:** start with characters and join the most frequent pair of neighbors, again and again. Frequent words
# become one token, rare words several, and no word is unknown.
#
# Paper: section 5.1 (one vocabulary of about 37,000 tokens for English and German); Sennrich et al. 2016.
# About 20 minutes to read and run, 40 with every change and question. What you need before: Python's `dict` and
# `Counter`, nothing of the notebooks before this one.

# %%
# %matplotlib inline
from collections import Counter
from itertools import pairwise

from npformer.text import Vocabulary

# %% [markdown]
# ## Words or characters?
#
# A model reads ids, so a text must be cut into tokens, and each token must be a row of the embedding table. The
# obvious cuts are words and characters. Build both vocabularies from four sentences and encode a fifth:

# %%
seen = ["The dog sees the cat.", "The cat sees a small dog.", "A dog is small.", "The smallest cat is here."]
new = "The smaller dog is here."  # change this to one of the four sentences, or to "A cat!", and run it again
for tokenizer in ("word", "character"):
    vocabulary = Vocabulary.build(seen, tokenizer=tokenizer)
    ids = vocabulary.encode(new)
    print(f"{tokenizer}: {len(vocabulary)} tokens in the vocabulary, {len(ids)} in the sentence")
    print("  ids ", ids)
    print("  read", vocabulary.decode(ids), "  unknown:", vocabulary.unknown(new))

# %% [markdown]
# Both begin with four special tokens: 0 `<pad>`, 1 `<unk>`, 2 `<bos>`, 3 `<eos>`. In words, *smaller* has no row and
# becomes `<unk>`: the model cannot know that it has anything to do with *small*, and no later layer can recover it.
# German, with its compounds, has a new word on every page.
#
# In characters nothing of it is unknown (in "A cat!" the "!" is). But the sentence has four times as many tokens.
# Attention compares every position with every other, so it computes 4 · 4 = 16 times as many scores. And the model has
# to learn spelling first.
#
# Is there a cut between the two, with few tokens per sentence and nothing unknown? This sentence comes again at the
# end.
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
# *e s*, *s t* and *t _* all occur 9 times: 6 times in *newest* and 3 times in *widest*. On a tie take the pair that was
# found first, here *e s*. Join it everywhere, and count again:


# %%
def join(tokens, pair):
    """Return tokens with every occurrence of a pair joined into one token."""
    joined = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
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
from npformer.visualization.plots.colors import BLUE, GREY


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
# Cut a new word into characters. Look at all neighboring pairs, and of those that are in the list of merges join the
# one that was learned *earliest*. Repeat until no neighboring pair is in the list. The word *lowest* was not among the
# four:


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
if counts == {"low_": 5, "lower_": 2, "newest_": 6, "widest_": 3}:
    assert merges[:3] == [("e", "s"), ("es", "t"), ("est", "_")]
    assert apply("lowest_", merges) == ["low", "est_"]
    assert apply("nest_", merges) == ["n", "est_"]  # question 2
assert all(apply(word, merges) == states[-1][word] for word in counts)

# %% [markdown]
# Two tokens, a stem and an ending, although nobody told the program what an ending is. Frequent pairs happened to be
# units of meaning here. They need not be: *ne* of *newest* was joined too. Why the order of the list? Training joined
# in this order, and after each merge it counted the pairs that were left. Only the same order cuts a word as training
# did.
#
# ## Characters that were never seen
#
# An *x* is in none of the four words, so it would still be unknown. The usual way out: start from *bytes*, of which
# there are 256. UTF-8 writes every character of every language as one to four bytes. Libraries keep tokens as strings,
# so they print each byte as one character: byte C3 is printed Ã, and byte B6 is printed ¶.

# %%
from npformer.text.pre_tokenizer import CHARACTERS  # which character is printed for which byte

for text in ("x", "ö", "€", "雪", "schön", " dog"):  # change these to any text and run it again
    data = text.encode("utf-8")
    print(f"{text:6}", data.hex(" ").upper(), " printed", "".join(CHARACTERS[byte] for byte in data))

# %% [markdown]
# Merges never cross a word, so a rule that cuts a text into words comes first, and each program has its own. That of
# GPT-2 is a regular expression. It has no mark at the end: a word takes the *space before it* along, so "dog" at the
# start of a text and " dog" are different tokens. English endings such as *'s* are pieces of their own. A number is one
# piece, so a frequent one such as " 2017" becomes one token, and a rare one is cut into several, at places that say
# nothing about its value: no good start for sums. In short:

# %%
import re

PIECE = r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?[^\w\s]+|\s+"
text = "In 2017 the dog's leash cost 12.50."  # change this and run it again: two spaces, or a line of code
print(re.findall(PIECE, text))

# %% [markdown]
# ## The sentence from the beginning
#
# Now all of it: cut the four sentences into pieces, the pieces into bytes, learn merges, and apply them to the fifth
# sentence.

# %%


def pieces(text):
    """Return the pieces of a text, each as the characters that are printed for its bytes."""
    return ["".join(CHARACTERS[byte] for byte in piece.encode("utf-8")) for piece in re.findall(PIECE, text)]


N = 20  # merges; change this to 5 or 100 and run it again
merges, _ = learn(Counter(piece for sentence in seen for piece in pieces(sentence)), N)
print(f"{len(merges)} merges")
for text in (new, "Schöne dogs!", "雪が降る"):  # the last: snow is falling
    tokens = [token for piece in pieces(text) for token in apply(piece, merges)]
    print(f"{len(text)} characters, {len(tokens)} tokens:", *tokens)

# %% tags=["hide-input"]
from npformer.text.pre_tokenizer import BYTES

assert bytes(BYTES[character] for character in "".join(tokens)).decode() == text
assert len(merges) != 20 or apply(pieces(" smaller")[0], merges) == ["Ġsmall", "e", "r"]

# %% [markdown]
# Ġ is the space. There are fewer than half as many tokens as characters, after 20 merges learned from four sentences.
# *small* is one token, and *smaller* and *smallest* begin with it. With `N = 100` the learning stops after 26: then every
# piece of the four sentences is one token, and no pair is left.
#
# Nothing is unknown, not even in a script that the merges have never seen. That has a price: four Japanese characters
# take twelve tokens, one for each byte, because no merge joins them. A tokenizer that was trained on English makes
# texts in other scripts several times as long as one that was trained on them.
#
# ## Questions
#
# **1.** The mark ends a word here. Many tokenizers mark the *beginning* instead (" low", "▁low"). Name one thing that
# is easier with each.
#
# <details><summary>Answer</summary>
#
# With a mark at the end, a generator knows when a word is complete, and *man* can share its token with the end of
# *snowman*. With a mark at the beginning, stems share a token with the start of longer words: *low* and *low er*.
#
# </details>
#
# **2.** Someone applies the ten merges of *low* and *newest* in another way: from left to right, always the longest
# token of the vocabulary. How does this cut *nest_*, and how do the merges?
#
# <details><summary>Answer</summary>
#
# From left to right: *ne s t _*, because *ne* is a token and no longer one fits. By the merges: *e s* was learned
# first, so the *e* is taken, and the result is *n est_*. A model that was trained on the one cut has hardly seen the
# other.
#
# </details>
#
# **3.** Merges never cross a word. What would happen if they did?
#
# <details><summary>Answer</summary>
#
# Frequent phrases such as "of the" would become tokens and take rows from rarer words. A word would be cut in different
# ways, depending on its neighbors. And learning would be slow: `count_pairs` visits each *different* word once, because
# it knows how often each occurs. Hardly any sentence occurs twice.
#
# </details>
#
# ---
#
# Next: [notebook 20b](20b_choosing_a_vocabulary.ipynb), where merges are learned from a larger text: how many should it
# be?
#
# Write it yourself: exercise byte_pair_merges. `npformer course start my-course` begins the course.
