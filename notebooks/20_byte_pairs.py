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
# *Part III, Use it. Before: [19](19_decoding.ipynb). Next: [21](21_what_is_a_good_translation.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Ask the translator for the *newest* radio instead of the new one, and it does not say that it does not know this word. It
# leaves it out. Its table has a row for each word that it has seen, and for no other. No later layer can bring back what
# has no row.
#
# **After this you can** learn the tokens of a text from nothing but its letters; cut any word into them, also one that
# nobody has ever written; say what this costs.
#
# Paper: section 5.1, which has 37,000 tokens for two languages. About 40 minutes with its writing.

# %%
# %matplotlib inline
from collections import Counter  # noqa: F401, for what you write
from itertools import pairwise  # noqa: F401, for what you write

import npformer as npf
from helpers.byte_tokens import BY_HAND, draw_tokens, phrasebook_words, pieces, token_texts
from helpers.schematics import byte_pairs
from npformer_course import Bet, exercise

byte_pairs()

# %% [markdown]
# ## A word without a row

# %%
translator = npf.load("phrasebook")
sentence = "I turn off the newest radio every day."  # change it
translator.unknown(sentence), translator.translate([sentence])

# %% [markdown]
# The word became `<unk>`. That *newest* has to do with *new* can be seen from its letters, and the model does not see
# letters. German is worse. Of one verb, the phrasebook has *schalte, schaltest, schaltet, schalten, ausschalten,
# einschalten, ausschaltet* and more, eleven rows that share nothing. *abschalten* has none.
#
# So take letters as tokens? Nothing would be unknown. But *Ich schalte jeden Tag das neue Radio aus.* has 41 of them
# instead of 9 tokens. Attention compares all pairs of positions, so it would compute 20 times as many scores. And the model
# would have to learn spelling first.
#
# ## Count, join, count again
#
# The way between: start from letters, and join the pair of neighbors that occurs most often. Then count again. The
# picture at the top does this with four English words. Rico Sennrich and others brought it to translation in 2016, from a
# trick of 1994 for making files smaller.
#
# Take four German words, with a fiftieth of their counts in the phrasebook. A word is a list of ids, and the id of a letter
# is its byte, 0 to 255. (Some letters have two bytes. They come in the last section.)

# %%
counts = {"neue": 8, "neuen": 4, "schalten": 2, "ausschalten": 5}
words = [list(word.encode()) for word in counts]
n_of = list(counts.values())
words[0]

# %% [markdown]
# **Count by hand:** how often does the pair *e n* occur, if each word counts as often as it occurs?

# %%
n_en = ...
n_en = BY_HAND.check(n_en=n_en)

# %% [markdown]
# **Write it** for all pairs. No pair reaches from one word into the next. Two things may help, and are imported:
# `pairwise([1, 2, 3])` yields `(1, 2)` and `(2, 3)`, and a `Counter` is a dict whose values begin with 0.


# %%
def count_pairs(words, counts):
    """Return how often each pair of neighbors occurs: a dict, (a, b) -> n, of the pairs that occur.

    words: lists of ids. counts: how often each word occurs. A Counter is a dict too; other pairs
    may be in it with 0.
    """
    raise NotImplementedError


# %%
count_pairs = exercise("byte_pair_merges").check(count_pairs)

# %% tags=["hide-input"]
import numpy as np

from helpers.pictures import show_arrays

pair_counts = count_pairs(words, n_of)
letters = sorted({letter for word in words for letter in word})
table = np.zeros((len(letters), len(letters)))
for (a, b), n in pair_counts.items():
    table[letters.index(a), letters.index(b)] = n
names = [chr(letter) for letter in letters]
show_arrays(**{"pairs: row, then column": table}, rows=names, columns=names)

# %% [markdown]
# Three pairs occur 12 times: *e u*, *n e* and *u e*. On a tie take the smallest one, as Python compares tuples: *e u*. It
# becomes one new id, 256. The next pair will be 257: merge number $k$, counted from 0,
# makes $256 + k$.
#
# **Write** `merge`, which joins one pair in one word, from left to right. An id that is used is gone: with the pair *a a*,
# the word *aaa* becomes the new id and an *a*. And **write** `learn_merges`, which calls both. A pair that occurs only once
# is not worth a token: it ends when no pair occurs twice, or after `n_merges`.


# %%
def merge(ids, pair, new_id):
    """Return a list of ids in which every occurrence of a pair is replaced by one new id.

    ids: a list of ids, which is not changed. pair: a tuple (a, b).
    """
    raise NotImplementedError


def learn_merges(words, counts, n_merges):
    """Return the pairs that are merged, in their order: a list of at most n_merges tuples (a, b).

    n_merges: at least 1.
    """
    raise NotImplementedError


# %%
merge, learn_merges = exercise("byte_pair_merges").check(merge, learn_merges)

# %% [markdown]
# What will ten merges make of the word *neuen*?

# %%
bet = Bet("How is 'neuen' cut after ten merges?", ["neu en", "neue n", "neuen"])
bet.place(...)

# %%
merges = learn_merges(words, n_of, 10)
text = token_texts(merges)  # of each id
[f"{256 + k} = {text[a]} + {text[b]}" for k, (a, b) in enumerate(merges)]

# %% [markdown]
# These ten lines, *in their order*, are a trained tokenizer. It has found *neu*, *neue* and *schalten*, and nobody told it
# what a stem is.
#
# ## Cut a word
#
# To cut a word, start from its letters and do what learning did: first join *e u* wherever it occurs, then *n eu*, and so on
# to the end of the list. **Cut by hand** a word that was not there: the ids of *scheuen* (to avoid), from the list above.

# %%
scheuen = ...  # a list of ids, such as [115, 99, ...]
scheuen = BY_HAND.check(scheuen=scheuen)

# %% [markdown]
# **Write it.**


# %%
def encode(ids, merges):
    """Return the ids of a word after all merges.

    ids: a list of bytes, at least one. merges: a list of tuples (a, b), some of which the word may
    not have.
    """
    raise NotImplementedError


# %%
encode = exercise("byte_pair_merges").check(encode)


# %%
def cut(word, merges):
    """Return the texts of a word's tokens."""
    texts = token_texts(merges)
    return [texts[i] for i in encode(list(word.encode()), merges)]


bet.settle(" ".join(cut("neuen", merges)))
draw_tokens({word: cut(word, merges) for word in [*counts, "scheuen", "abschalten", "neueste"]})

# %% [markdown]
# *neu* and *en* are both tokens, and yet *neuen* is *neue n*: *neu* took its *e* as the third merge, and *e n* came sixth.
# When *en* was learned, no *neuen* had an *e* left. So the order is part of what was learned: a model that has read
# *neue n* all its life has hardly met *neu en*.
#
# The last two words were never seen, and both have a part that was. *schalten* is one token with a row of its own, and what
# a model learns about it holds for *ausschalten* and *abschalten* as well.
#
# ## Bytes, and a whole phrasebook
#
# An *x* is in none of the four words. It is not unknown, because the ids 0 to 255 exist before any merge. UTF-8 writes each
# character of each language as one to four **bytes**, and these are the ids. For *x* it is one, for *ü* two, for 雪 (snow)
# three:

# %%
{character: list(character.encode()) for character in "xü雪"}

# %% [markdown]
# Now all training sentences of the phrasebook, both languages together, as in the paper. `phrasebook_words` cuts them into
# different words, with the space that is before each. *jeden* in the middle of a sentence begins with a space, so a text
# can be put together again. 500 merges take a few seconds.

# %%
all_words, all_counts = phrasebook_words()
learned = learn_merges(all_words, all_counts, 500)
text = token_texts(learned)
len(all_words), " | ".join(text[256:270])


# %% tags=["hide-input"]
def cut_text(sentence, merges):
    """Return the texts of the tokens of a sentence."""
    texts = token_texts(merges)
    return [texts[i] for word in pieces(sentence) for i in encode(word, merges)]


GERMAN = "Ich schalte jeden Tag das neue Radio aus."
rows = {f"{n} merges": cut_text(GERMAN, learned[:n]) for n in (0, 20, 100, 500)}
draw_tokens(rows)

# %% [markdown]
# (A dot is a space.) The first two merges, *er* and *en*, serve both languages: *father, Vater, clever, der*, and *friend,
# jeden*. After 500 our sentence has 16 tokens instead of 41, and there are 756 ids. And the word from the beginning?

# %%
sentences = ("I turn off the newest radio.", "Schalte die Giraffe ab!", "雪が降る")  # the last: snow is falling
draw_tokens({str(len(cut_text(line, learned))): cut_text(line, learned) for line in sentences})

# %% [markdown]
# The number of tokens is on the left. *newest* is known now, as *ne we st*. That is not the cut of a linguist. Merges know
# frequencies, not stems: *we* came as merge 157, from *weil, Schwester* and *week*, and *new* only as merge 369, when this
# *w* was gone.
#
# Snow is not unknown either. But four characters have become twelve tokens, one for each byte, because no merge joins
# them. A tokenizer that was learned from English makes texts in other scripts several times as long, and those who write
# them pay for it, in time and at services that charge by the token.
#
# ## Three questions
#
# **1.** Someone cuts words in another way: from left to right, always the longest token that fits. *neuen* comes out as
# yours. Find two merges and a word of three letters that do not.
#
# <details><summary>Answer</summary>
#
# First *b c*, then *a b*. By the merges *abc* is *a bc*, and from left to right it is *ab c*. In real vocabularies such
# words are not rare. A program that cuts in another way than the one that cut the training text gives the model tokens
# that it has hardly seen there.
#
# </details>
#
# **2.** Merges never cross a word. What would happen if they did?
#
# <details><summary>Answer</summary>
#
# Frequent phrases such as "of the" would become tokens, and take rows from rarer words. A word would be cut in different
# ways, depending on its neighbors. And learning would be slow: `count_pairs` visits each *different* word once, 854
# here, because it knows how often each occurs. Hardly any sentence occurs twice.
#
# </details>
#
# **3.** In many tokenizers " 2017" is one token and " 4711" is two. Why, and what is that bad for?
#
# <details><summary>Answer</summary>
#
# The year was frequent, the other number was not. Where a rare number is cut depends on which pairs of digits were frequent,
# and says nothing about its value. So the same digit is sometimes the hundreds and sometimes a part of the thousands of a
# token: no good start for sums.
#
# </details>

# %% [markdown]
# **You can now**
#
# - learn byte-pair merges from words and their counts;
# - cut any text with them, so that nothing is unknown, and say why the order of the merges matters;
# - say who pays: rare words, numbers, and scripts that the merges have not seen.
#
# Next: [notebook 21](21_what_is_a_good_translation.ipynb), how to score a translation. Detour:
# [20b](20b_choosing_a_vocabulary.ipynb), how many merges it should be.
