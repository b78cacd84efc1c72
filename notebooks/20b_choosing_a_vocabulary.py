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
# Notebook 20 learned ten merges, and then 500. The paper's vocabulary has 37,000 tokens. How many do *you* need? Each
# merge makes texts shorter and adds a token that has to be trained.
#
# **After this you can** say what a merge costs; compare vocabularies of different sizes; cut words in other ways while
# a model is trained.
#
# Paper: section 5.1; Sennrich et al. 2016; Provilkov et al. 2020. About 35 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import bpe_dropout, vocabulary_sizes
from helpers.schematics import vocabulary_size
from npformer.datasets import phrasebook
from npformer.text import BPEVocabulary
from npformer_course import Bet

vocabulary_size()

# %% [markdown]
# ## What a merge costs
#
# Take 1,500 German sentences of the phrasebook. `BPEVocabulary` learns merges as you did in notebook 20. It has 4
# special tokens, 256 bytes, and one token for each merge, and a word's last token ends in a mark such as ▁.

# %%
pairs, held_out = phrasebook.split(1500, 200)
lines, new_lines = [pair.target for pair in pairs], [pair.target for pair in held_out]
vocabulary = BPEVocabulary.build(lines, size=1000)  # 740 merges
counts = vocabulary_sizes.merged_counts(vocabulary, lines)  # (740,): how often each merged token occurs

# %% [markdown]
# Call a merged token *rare* if it occurs fewer than ten times: its row is hardly trained. **Write it:** how many of the
# 740 are rare?

# %%
rare = ...  # one number, from counts
rare = vocabulary_sizes.expected_rare(counts).check(rare=rare)

# %% [markdown]
# And with fewer merges? The length is that of new sentences, the rare tokens are counted in those that the vocabulary
# was learned from.

# %%
lengths, n_rare = [], []
SIZES = (260, 300, 350, 400, 500, 600, 800, 1000)
for size in SIZES:
    some = BPEVocabulary.build(lines, size=size)
    lengths.append(np.mean([len(some.encode(line)) for line in new_lines]))
    n_rare.append(vocabulary_sizes.n_rare(some, lines))
by_word = np.mean([len(BPEVocabulary.words(line)) for line in new_lines])
vocabulary_sizes.draw_costs([size - 260 for size in SIZES], lengths, n_rare, by_word)

# %% [markdown]
# The first hundred merges bring most of the gain. Later ones join what is rare anyway. Most of the rare tokens are
# never used at all: they are joined further as soon as they are made, as *ch* is in notebook 20, where it occurs only
# inside *sch*.
#
# The curve comes down to the line of words because these 1,500 sentences, which are generated, have only 524 different
# words. In a natural text new words never end, and the line is not reached. The paper has 37,000 tokens for 4.5 million
# sentence pairs.
#
# ## The loss of a sentence
#
# Only a training shows which vocabulary is best. `trained` trains a small translator, with one vocabulary for both
# languages, on 300 pairs, 20 times each. The loss is measured on 200 new pairs, per token.

# %%
bet = Bet("With how many tokens is the loss of a *sentence* lowest?", [400, 600, 1000])
bet.place(...)

# %%
few, new_pairs = phrasebook.split(300, 200)
results = [vocabulary_sizes.trained(few, new_pairs, size) for size in (400, 600, 1000)]
per_token = np.array([result.per_token for result in results])  # (3,), nats
n_tokens = np.array([result.n_tokens for result in results])  # (3,), of a sentence with <eos>, on average

# %% [markdown]
# **Write it:** the loss of a sentence, with each of the three.

# %%
per_sentence = ...  # (3,)
per_sentence = vocabulary_sizes.expected_per_sentence(per_token, n_tokens).check(per_sentence=per_sentence)

# %%
sizes = [result.size for result in results]
bet.settle(sizes[per_sentence.argmin()])
vocabulary_sizes.draw_losses(per_token, per_sentence, sizes)

# %% [markdown]
# The two name opposite winners! Per token few look best, because a letter is easier to predict than a word. But a
# sentence has more of them, and it is the sentence that is to be translated. **Compare vocabularies per sentence.**
# (With seeds 1 and 2 the order is the same: 39.0 and 39.5, 34.3 and 34.9, 30.4 and 30.2.)
#
# So, ever more tokens? Up to 1,000 of them yes, in this phrasebook, where the 300 pairs have all German words of the
# new ones. Natural sentences are different. Here is the same translator with 1,000 pairs of Multi30k, captions of
# photographs with 4,140 different words. (It was trained beforehand. Drawn is seed 0.)

# %%
vocabulary_sizes.draw_multi30k()

# %% [markdown]
# Here the best is in the middle: with few tokens sentences are long, and of 4,000 tokens nine in ten are rare. Between
# 1,000 and 2,000 there is nothing to choose: 88.7 and 88.6, and with seed 1 88.4 and 88.2. More data carry more tokens:
# with 4,000 pairs the largest of the five is the best (61.7, after 64.5 with 2,000), and half of its tokens are seen
# ten times.
#
# A rule of thumb, from one data set: count first up to which size at least half of the tokens are seen ten times or
# more. Then train a short while with that size, half of it and twice as many tokens, and take the lowest loss per
# sentence.
#
# ## Draw other cuts
#
# A word is always cut in the same way, so nothing tells the model which letters are in its tokens. **BPE-dropout**
# (Provilkov et al. 2020) cuts it in another way each time that it is read:
#
# 1. Look at all pairs of neighbors that are in the list of merges. Leave out each with probability $p$, by a random number
#    of its own.
# 2. Of those that are left, make *one* merge: the earliest of the list, and of equal ones the leftmost.
# 3. Begin again with 1, and end when no pair is left.
#
# **Write it.** `ranks[pair]` is the place of a pair in the list, and `rng.random()` is from 0 to 1. (`pairwise`, as in
# notebook 20, yields the pairs of neighbors.)

# %%
import random
from itertools import pairwise  # noqa: F401, for what you write


def apply_with_dropout(word, ranks, p, rng):
    """Return the tokens of a word, a list of strings, with each possible merge left out with probability p."""
    tokens = list(word)
    ...  # some lines
    tokens = ...
    return tokens


# %%
apply_with_dropout = bpe_dropout.check_dropout(apply_with_dropout)

# %%
[word] = BPEVocabulary.words("schwester")
ranks = bpe_dropout.ranks_of(vocabulary)
rng = random.Random(0)
cuts = [apply_with_dropout(word, ranks, 0.1, rng) for _ in range(1000)]
bpe_dropout.draw_cuts(cuts)

# %% [markdown]
# The usual cut, that of $p = 0$, is still the most frequent one. With $p = 1$ only bytes are left. In training, every
# epoch reads the sentences in another way; held-out sentences are cut as usual. What becomes of the tokens that were
# never used? Count again, in one epoch:

# %%
counts_of = {}
for p in (0, 0.05, 0.1, 0.3):
    counts_of[p] = bpe_dropout.counts_with_dropout(apply_with_dropout, vocabulary, lines, p)
bpe_dropout.draw_effects(counts_of, vocabulary, len(lines))

# %% [markdown]
# With $p = 0.1$ nearly all merged tokens are read at least once in the epoch, where the usual cut leaves out 289 of
# 740, and the next epoch draws again. The price: sentences become 1.5 times as long, so each epoch takes more time.
# Whether it pays, only a training can tell: to expect it where there are few sentences, each read many times, is a
# guess.
#
# ## Questions
#
# **1.** Two trainings use the same data and 8,000 and 16,000 merges; the losses per token are 2.0 and 2.3, and a sentence
# has 30 and 25 tokens on average. Which is better?
#
# <details><summary>Answer</summary>
#
# The one with 16,000, by a little: its sentences lose $2.3 \cdot 25 = 57.5$ and those of the other $2.0 \cdot 30 = 60$.
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
# forbid this cut. The merge, no: *sch* is made of it, and would never be found. With BPE-dropout the row is trained,
# too, because *s ch* is then one of the cuts.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what a merge saves, and which of its tokens are hardly trained;
# - compare vocabularies per sentence, and never per token;
# - let a model read a word in other cuts, and say what that costs.
#
# Back to the path: [notebook 21](21_what_is_a_good_translation.ipynb). To train with subwords: `npformer train
# phrasebook
# --tokenizer bpe`.
