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
# # 20b Choosing a subword vocabulary
#
# *A detour from [20](20_byte_pairs.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# Notebook 20 learned ten merges, and then 500. The paper's vocabulary has 37,000 tokens. How many do *you* need?
#
# **The idea:** each merge makes texts shorter and adds a token that has to be trained. The loss of a *sentence* decides
# how many are best. On natural text it is lowest about where half of the tokens still occur often enough to be learned.
#
# **After this you can** say what a merge costs; compare vocabularies of different sizes; draw other cuts of a word while a
# model is trained.
#
# Paper: section 5.1; Sennrich et al. 2016; Provilkov et al. 2020. About 45 minutes with its writing.

# %%
# %matplotlib inline
from collections import Counter
from itertools import pairwise

from npformer.text import BPEVocabulary
from npformer_course import yours

# %% [markdown]
# ## The same merges as npformer's
#
# The next line takes your four functions of notebook 20, or npformer's where you have not written them.

# %%
count_pairs, merge, learn_merges, encode = yours("byte_pair_merges")

# %% [markdown]
# `BPEVocabulary` of npformer has 4 special tokens, 256 bytes, and one token per merge; `<unk>` is never used.
# `npformer.text.learn_merges` counts again only what a merge changes, because that is fast. Does it learn what your plain
# loop does?
#
# `BPEVocabulary.words` cuts a text into words in lower case and adds marks, bytes that never occur in UTF-8.
# `display_token` shows them: "Der Hund schläft." is `der⇧ hund⇧ schläft▁ ‿.▁`. Each word ends in ▁, or in ⇧ if it has a
# capital, and ‿ says that there was no space before it. Take 1,500 German sentences of the phrasebook:

# %%
from npformer.datasets import phrasebook
from npformer.text.pre_tokenizer import display_token

pairs, held_out = phrasebook.split(1500, 200)
lines, new_lines = [pair.target for pair in pairs], [pair.target for pair in held_out]
german = Counter(word for line in lines for word in BPEVocabulary.words(line))
print(lines[1])
print(*(display_token(word) for word in BPEVocabulary.words(lines[1])))
print(f"{sum(german.values()):,} words, {len(german)} of them different")

# %% [markdown]
# Your functions take lists of ids from 0 to 255. A byte has the id of its place among the byte tokens, so that both
# decide a tie in the same way: the smaller left id first, then the smaller right one.

# %%
SIZE = 600  # tokens: 4 special ones, 256 bytes, and one per merge; change this to 320

byte_tokens = BPEVocabulary.build(lines, size=260).coded_tokens[4:]
id_of = {token: i for i, token in enumerate(byte_tokens)}
words = [[id_of[character] for character in word] for word in german]

tokens_of_ids = list(byte_tokens)
mine = []
for a, b in learn_merges(words, list(german.values()), SIZE - 260):
    mine.append((tokens_of_ids[a], tokens_of_ids[b]))
    tokens_of_ids.append(tokens_of_ids[a] + tokens_of_ids[b])

subwords = BPEVocabulary.build(lines, size=SIZE)
print(f"{len(mine)} merges; equal to npformer's, in the same order: {mine == subwords.merges}")
for first in (0, 100, 300):
    print(f"from {first:3}:", "   ".join(" + ".join(map(display_token, pair)) for pair in mine[first : first + 7]))

# %% [markdown]
# Among the first merges are endings, *en* and *e* with the mark. Later ones complete whole words. `split` shows the
# tokens:

# %%
for text in (new_lines[0], "Der Giraffenvater sieht Schnee."):  # change this to any text and run it again
    print(text)
    print(" ", *subwords.split(text))

# %% [markdown]
# The phrasebook has no giraffes, and yet the word is encoded, and decoding returns the text to the last letter.
#
# ## How many merges?
#
# Each merge adds a row to the embedding table and shortens the texts that contain its pair. Count both on the new
# sentences. The column "fewer than 10 times" is the price: that many tokens occur fewer than ten times in the text that
# the vocabulary was learned from, so their rows get hardly any gradient.


# %%
def rarely_used(vocabulary, encoded):
    """Return how many of the merged tokens occur fewer than ten times in encoded sentences, and how many never."""
    used = Counter(i for ids in encoded for i in ids)
    merged = range(260, len(vocabulary))
    return sum(used[i] < 10 for i in merged), sum(used[i] == 0 for i in merged)


SIZES = (260, 280, 300, 350, 400, 500, 600, 800, 1000)  # change this to (260, 5000) and run it again
table = []
print("tokens  merges   tokens per sentence   fewer than 10 times   of these, never")
for size in SIZES:
    vocabulary = BPEVocabulary.build(lines, size=size)
    length = sum(len(vocabulary.encode(line)) for line in new_lines) / len(new_lines)
    rare, never = rarely_used(vocabulary, [vocabulary.encode(line) for line in lines])
    table.append((len(vocabulary) - 260, length, rare))
    print(f"{len(vocabulary):6} {len(vocabulary) - 260:7} {length:21.1f} {rare:21} {never:17}")
by_word = sum(len(BPEVocabulary.words(line)) for line in new_lines) / len(new_lines)
print(f"words and punctuation marks per sentence: {by_word:.1f}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

figure, (left, right) = new_figure(1, 2, width=10, height=3)
n_merges, lengths, rare = zip(*table, strict=True)
left.plot(n_merges, lengths, "o-", color=main_color(), linewidth=2, label="subwords")
left.axhline(by_word, color=GREY, linewidth=1, linestyle="--", label="words")
left.set(xlabel="merges", ylabel="tokens per sentence", ylim=(0, None))
left.legend()
right.plot(n_merges, rare, "o-", color=ORANGE, linewidth=2)
right.set(xlabel="merges", ylabel="tokens seen fewer than 10 times", ylim=(0, None))
figure

# %% [markdown]
# The first hundred merges bring most of the gain. Later ones join what is rare anyway, so their rows are hardly trained.
# Most of the rare tokens are never used at all. They are joined further as soon as they are made, as *ch* is in notebook
# 20: there it occurs only inside *sch*.
#
# The curve comes down to the line of words because this phrasebook is generated from 524 German words. In a natural
# text new words never end, the line is not reached, and the paper's 37,000 tokens for 4.5 million sentence pairs are
# not absurd.
#
# Does the language matter? The same pairs, with a vocabulary of 600 tokens for each side. The last column has the price
# of the marks: pieces that are there twice, once for each way to end a word.

# %% tags=["hide-input"]
print("         different words   tokens per word   pieces that differ only in the mark")
per_word = {}
for language, side in (("English", "source"), ("German", "target")):
    lines_of_side = [getattr(pair, side) for pair in pairs]
    vocabulary = BPEVocabulary.build(lines_of_side, size=SIZE)
    different = {word for line in lines_of_side for word in BPEVocabulary.words(line)}
    new_words = [word for pair in held_out for word in BPEVocabulary.words(getattr(pair, side))]
    per_word[language] = sum(len(vocabulary.encode(getattr(pair, side))) for pair in held_out) / len(new_words)
    pieces = [display_token(token) for token in vocabulary.coded_tokens]
    twins = Counter(piece[:-1] for piece in pieces if len(piece) > 1 and piece[-1] in "▁⇧‿")
    print(f"{language:8} {len(different):15} {per_word[language]:17.2f} {sum(n > 1 for n in twins.values()):20}")

# %% [markdown]
# German has more forms of each word, so fewer of them become one token, and the same sentence is longer for the model.
#
# ## Train with each, and choose
#
# Only a training shows which vocabulary is best. `trained` trains a small translator, with one vocabulary for both
# languages. Four that differ in nothing else read 300 pairs, 20 times. The loss is measured on 200 new pairs: per token,
# and per sentence, which is the sum over its tokens.

# %%
from helpers.vocabulary_sizes import trained

N = 300  # pairs; change this to 100 or 600 and run it again
few, new_pairs = phrasebook.split(N, 200)
results = [trained(few, new_pairs, size) for size in (300, 400, 600, 1000)]
print("tokens   loss per token   loss per sentence")
for result in results:
    print(f"{result.size:6} {result.per_token:16.2f} {result.per_sentence:19.1f}")

# %% [markdown]
# The two columns name opposite winners! Per token few look best, because a letter is easier to predict than a word. But
# a sentence has more of them, and it is the sentence that is to be translated: there 1,000 is best by far. **Compare
# vocabularies per sentence.** Shorter sentences also make an epoch faster.
#
# So, ever more tokens? In this phrasebook yes: the 300 pairs have all words of the new ones. Natural sentences are
# different. The same translator, with 1,000 pairs of Multi30k, captions of photographs with 4,140 different words:

# %%
# Typed in: losses that  python notebooks/helpers/vocabulary_sizes.py  printed for seed 0, counts by rarely_used for its pairs.
NATURAL = {  # tokens: loss per token, loss per sentence, tokens seen fewer than 10 times
    300: (2.26, 110.9, 2),
    500: (3.02, 97.9, 8),
    1000: (3.65, 88.7, 93),
    2000: (4.41, 88.7, 1027),
    4000: (5.31, 94.0, 3332),
}
print("tokens   loss per token   loss per sentence   seen fewer than 10 times")
for size, (per_token, per_sentence, rare) in NATURAL.items():
    print(f"{size:6} {per_token:16.2f} {per_sentence:19.1f} {rare:16} of {size - 260}")

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=10, height=3)
measured = {result.size: (result.per_token, result.per_sentence) for result in results}
for ax, rows, title in zip(axes, (measured, NATURAL), (f"phrasebook, {N} pairs", "Multi30k, 1,000 pairs"), strict=True):
    ax.plot(list(rows), [row[1] for row in rows.values()], "o-", color=main_color(), linewidth=2)
    ax.set(xscale="log", xlabel="tokens in the vocabulary", ylabel="loss per sentence", title=title)
    ax.set_xticks(list(rows), [f"{size:,}" for size in rows], minor=False)
    ax.set_xticks([], minor=True)
figure

# %% [markdown]
# Here the best is in the middle: with fewer than 1,000 tokens sentences are long, with 4,000 nearly all rows were seen
# fewer than ten times. Between 1,000 and 2,000 there is nothing to choose; with seed 1 they have 88.4 and 87.8. More data
# carry more tokens: with `--pairs 4000` the losses of 1,000, 2,000 and 4,000 tokens are 71.7, 64.5 and 61.4, and half of
# the 4,000 were seen ten times. (These figures are the script's, too. There the largest size is the best, so an even larger
# one may be better.)
#
# A rule of thumb, from one data set: count first up to which size at least half of the tokens are seen ten times or more.
# Then train a short while with that size, half of it and twice as many tokens, and take the lowest loss per sentence. On a
# tie the larger one is faster.
#
# ## Subword regularization: draw other cuts
#
# There is always exactly one cut by the rule above. So a model sees a frequent word always as one token, and never
# learns what is in it. BPE-dropout (Provilkov et al. 2020) leaves out each possible merge with probability `p`
# while a word is being cut, and draws again in every epoch. Two things change in `encode`: merges are left out at
# random, and one place is joined at a time.

# %%
import random

from helpers.bpe_dropout import BPEDropout


def apply_with_dropout(word, merges, p, rng):
    """Return the tokens of a word, with each possible merge left out with probability `p`."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = list(word)
    while True:
        found = [(ranks[pair], i) for i, pair in enumerate(pairwise(tokens)) if pair in ranks and rng.random() >= p]
        if not found:
            return tokens
        _, i = min(found)
        tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]


[word], P = BPEVocabulary.words("schwester"), 0.1  # change P to 0, 0.5 or 1 and run the section again
rng = random.Random(0)
cuts = [apply_with_dropout(word, mine, P, rng) for _ in range(1000)]
drawn = Counter(" ".join(map(display_token, tokens)) for tokens in cuts)
for tokens, n in drawn.most_common(6):
    print(f"{n:4}  {tokens}")
print(f"{len(drawn)} different cuts in 1000 draws")

# %% [markdown]
# The usual cut is still the most frequent one. `BPEDropout` in `helpers/bpe_dropout.py` does the same for all sentences;
# with the same random numbers it returns the same cuts. $p = 0$ is byte-pair encoding, $p = 1$ leaves bytes. In training,
# every epoch reads the sentences in another way; held-out sentences are cut as usual:

# %%
dropout = BPEDropout(subwords, ["Die Ärzte können fernsehen."], p=0.1)
for epoch in (1, 2, 3):
    print(epoch, *(subwords.tokens[i] for i in dropout.epoch(epoch)[0]))

# %% [markdown]
# What becomes of the tokens that were hardly used? Count again, in one epoch with the vocabulary of 1,000 tokens:

# %%
PROBABILITIES = (0, 0.05, 0.1, 0.3, 1)  # change one and run it again
vocabulary = BPEVocabulary.build(lines, size=1000)
effects = {}
print("    p   tokens per sentence   fewer than 10 times   of these, never")
for p in PROBABILITIES:
    epoch = BPEDropout(vocabulary, lines, p=p).epoch(1)
    effects[p] = sum(map(len, epoch)) / len(epoch), *rarely_used(vocabulary, epoch)
    print("{:5} {:21.1f} {:21} {:17}".format(p, *effects[p]))

# %% [markdown]
# Rare tokens stay rare. But with $p = 0.1$ all except 19 of the 740 merged tokens are read at least once in the
# epoch, where the usual cut leaves 289 out, and the next epoch draws again. The price: sentences become 1.5
# times as long, so each epoch takes more time. This pays where there are few sentences, and each of them is read many times.
#
# ## Questions
#
# **1.** Two trainings use the same data and 8,000 and 16,000 merges; the losses per token are 2.0 and 2.3, and a sentence
# has 30 and 25 tokens on average. Which is better?
#
# <details><summary>Answer</summary>
#
# The one with 16,000, by a little: its sentences lose $2.3 \cdot 25 = 57.5$ and those of the other $2.0 \cdot 30 = 60$.
# Dividing by the characters compares as well ([notebook 22](22_error_bars.ipynb)); dividing by the
# tokens does not, because the tokens differ.
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
# **3.** In the four words of notebook 20 *ch* is only used inside *sch*, so their usual cut never has it. Can you delete
# its row of the embedding table? And the merge *c* + *h*?
#
# <details><summary>Answer</summary>
#
# The row is never trained, but a new word may read it: *lachen* is cut into *l a ch en*. So delete it only if you also
# forbid this cut. The merge, no: *sch* is made of it, and would never be found. With BPE-dropout the row is trained, too,
# because *s ch* is then one of the cuts.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what a merge saves, and which of its tokens are hardly trained;
# - compare vocabularies per sentence, and never per token;
# - let a model read a word in other cuts, so that it learns what is in it.
#
# Back to the path: [notebook 21](21_what_is_a_good_translation.ipynb). To train with subwords: `npformer train phrasebook
# --tokenizer bpe`.
