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
# # 04c Tokenization: byte-pair encoding
#
# **The idea:** start with characters and join the most frequent pair of neighbors, again and again. Frequent words
# become one token, rare words several, and no word is unknown.
#
# Paper: section 5.1 (one vocabulary of about 37,000 tokens for English and German); Sennrich et al. 2016. About 55
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
# In characters nothing is unknown. But the sentence has four times as many tokens. Attention compares every position with
# every other, so it computes 4 · 4 = 16 times as many scores. And the model has to learn spelling first.
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
from npformer.visualization.plots.colors import BLUE, GREY, ORANGE, main_color


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
# Cut a new word into characters. Look at all neighboring pairs, and of those that are in the list of merges join the one
# that was learned *earliest*. Repeat until no neighboring pair is in the list. The word *lowest* was not among the four:


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
# Two tokens, a stem and an ending, although nobody told the program what an ending is. Frequent pairs happened to be
# units of meaning here. They need not be: *ne* of *newest* was joined too. Why the order of the list? Training joined in
# this order, and after each merge it counted the pairs that were left. Only the same order cuts a word as training did.
#
# ## Characters that were never seen
#
# An *x* is in none of the four words, so it would still be `<unk>`. The usual way out: start from *bytes*, of which
# there are 256. UTF-8 writes every character of every language as one to four bytes. Libraries keep tokens as strings, so
# they print each byte as one character: byte C3 is printed Ã, and byte B6 is printed ¶.

# %%
from npformer.text.pre_tokenizer import CHARACTERS  # which character is printed for which byte

for text in ("x", "ö", "€", "雪", "schön"):  # change these to any text and run it again
    data = text.encode("utf-8")
    print(f"{text:6}", data.hex(" ").upper(), " printed", "".join(CHARACTERS[byte] for byte in data))

# %% [markdown]
# Merges never cross a word, so a rule that cuts a text into words comes first, and each program has its own. That of GPT-2 is
# a regular expression. It has no mark at the end: a word takes the *space before it* along, so "dog" at the start of a text and
# " dog" are different tokens. A number is one piece, so a frequent one such as " 2017" becomes one token and the next one
# becomes three: no good start for sums. In short:

# %%
import re

text = "In 2017 the dog's leash cost 12.50."  # change this and run it again: two spaces, or a line of code
print(re.findall(r" ?[^\W\d_]+| ?\d+| ?[^\w\s]+|\s+", text))

# %% [markdown]
# `SubwordVocabulary` of npformer starts from bytes, too. Its vocabulary has 4 special tokens, 256 bytes, and one token per merge; `<unk>`
# is never used.
#
# ## The same merges as the library
#
# In npformer the library *tokenizers* counts and merges, because it is fast. Does it learn what `learn` would? Take
# 1,500 German sentences of the phrasebook. `SubwordVocabulary.words` cuts a text into words in lower case and adds marks. The
# marks are bytes that never occur in UTF-8. `display_token` turns bytes back into letters and shows the marks: ▁ ends a word,
# ⇧ ends a word with a capital, and ‿ says that there was no space.

# %%
from npformer.datasets.synthetic import phrasebook
from npformer.text.pre_tokenizer import display_token

pairs, held_out = phrasebook.split(1500, 200)
lines, new_lines = [pair.target for pair in pairs], [pair.target for pair in held_out]
german = Counter(word for line in lines for word in SubwordVocabulary.words(line))
print(lines[1])
print(*(display_token(word) for word in SubwordVocabulary.words(lines[1])))
print(f"{sum(german.values()):,} words, {len(german)} of them different")

# %% [markdown]
# When two pairs are equally frequent, the library takes the pair whose left token has the smaller id, and then the one whose
# right token has. So keep each token's id: first the special tokens, then the bytes, then each new token. Counting
# all pairs again after each merge is slow but plain.

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
    print(f"from {first:3}:", "   ".join(" + ".join(map(display_token, pair)) for pair in mine[first : first + 7]))

# %% tags=["hide-input"]
assert mine == theirs
name_of = {i: token for token, i in library.to_json()["model"]["vocab"].items()}
for line in new_lines[:50]:
    tokens = [token for word in SubwordVocabulary.words(line) for token in apply(word, mine)]
    assert tokens == [name_of[i] for i in library.encode(line)]

# %% [markdown]
# Among the first merges are endings, *en* and *e* with the mark. Later ones complete whole words. On 50 new sentences
# `apply` also cuts exactly as `library.encode` does; the folded check compares them. `split` shows the tokens:

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
# sentences. The column "fewer than 10 times" is the price: that many tokens occur fewer than ten times in the text that
# the vocabulary was learned from, so their rows get hardly any gradient.

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
# sentences, and rows that are hardly trained. Most of the rare tokens are never used at all. They are joined further as
# soon as they are made, as *est* is: it occurs only inside *est_*. The paper's 37,000 tokens serve two languages and 4.5 million sentence pairs; with few data a
# few thousand merges or fewer are better.
#
# Does the language matter? The same pairs, with a vocabulary of 600 tokens for each side. The last column has the price of the
# marks: pieces that are there twice, once for each way to end a word.

# %%
print("         different words   tokens per word   pieces that differ only in the mark")
per_word = {}
for language, side in (("English", "source"), ("German", "target")):
    lines_of_side = [getattr(pair, side) for pair in pairs]
    vocabulary = SubwordVocabulary.build(lines_of_side, size=SIZE)
    different = {word for line in lines_of_side for word in SubwordVocabulary.words(line)}
    new_words = [word for pair in held_out for word in SubwordVocabulary.words(getattr(pair, side))]
    per_word[language] = sum(len(vocabulary.encode(getattr(pair, side))) for pair in held_out) / len(new_words)
    pieces = [display_token(token) for token in vocabulary.to_json()["model"]["vocab"]]
    twins = Counter(piece[:-1] for piece in pieces if len(piece) > 1 and piece[-1] in "▁⇧‿")
    print(f"{language:8} {len(different):15} {per_word[language]:17.2f} {sum(n > 1 for n in twins.values()):20}")

# %% tags=["hide-input"]
assert SIZE != 600 or per_word["English"] + 0.1 < per_word["German"]

# %% [markdown]
# German has more forms of each word, so fewer of them become one token, and the same sentence is longer for the model.
#
# ## Subword regularization: draw other cuts
#
# There is always exactly one cut by the rule above. So a model sees *newest* always as one token, and never learns
# what is in it. BPE-dropout (Provilkov et al. 2020) leaves out each possible merge with probability `share` while a
# word is being cut, and draws again in every epoch. Two things change in `apply`: merges are left out at random, and one
# place is joined at a time.

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


[word], SHARE = SubwordVocabulary.words("schwester"), 0.1  # change the share to 0, 0.5 or 1 and run the section again
rng = random.Random(0)
cuts = [apply_with_dropout(word, mine, SHARE, rng) for _ in range(1000)]
drawn = Counter(" ".join(map(display_token, tokens)) for tokens in cuts)
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
# numbers it returns the same cuts. A share of 0 is byte-pair encoding, a share of 1 leaves bytes. In training, every epoch
# reads the sentences in another way, and validation uses the usual cut:

# %%
dropout = SubwordDropout(library, ["Die Ärzte können fernsehen."], share=0.1, seed=0)
for epoch in (1, 2, 3):
    print(epoch, *(library.tokens[i] for i in dropout.epoch(epoch)[0]))

# %% [markdown]
# ## Questions
#
# **1.** Two trainings use the same data and 8,000 and 16,000 merges. Which of their losses per token is lower, and
# can you compare them?
#
# <details><summary>Answer</summary>
#
# Usually the one with 8,000: its tokens are shorter, and each is easier to predict. You cannot compare the two: the
# same sentence has different numbers of tokens. Compare the sum over a sentence, or divide by its characters
# ([notebook 08c](08c_what_is_a_good_translation.ipynb)).
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
