# %% [markdown]
# # BLEU
#
# The paper's results are two numbers: 28.4 and 41.8 BLEU (section 6.1). BLEU (Papineni et al. 2002)
# compares a translation with one that a person wrote, the reference. It counts which words, pairs,
# triples and sequences of four words they have in common. A sequence of $n$ words is called an
# **n-gram**.
#
# **Clipped matches.** The n-grams of a translation are all its sequences of $n$ neighboring words:
# a sentence of $c$ words has $c - n + 1$ of them, and none if it is shorter than $n$. An n-gram $g$
# matches if the reference has it too, but no more often than it is there: "the the the the" must
# not be a perfect translation of "the cat". With $\mathrm{count}$ for how often $g$ occurs in the
# translation, and $\mathrm{count}'$ for how often in the reference:
#
# $$\mathrm{matches}_n = \sum_g \min(\mathrm{count}(g), \mathrm{count}'(g))
# \qquad\qquad \mathrm{total}_n = \sum_g \mathrm{count}(g)$$
#
# In loops: every n-gram of the translation looks for a partner in the reference, and crosses it
# out.

# %%
from collections import Counter

import numpy as np


def count_matches_slowly(translation, reference, n):
    """The matches of two sentences and the n-grams of the translation, for one n."""
    partners = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = total = 0
    for i in range(len(translation) - n + 1):
        total += 1
        if translation[i : i + n] in partners:
            partners.remove(translation[i : i + n])
            matches += 1
    return matches, total


# %% [markdown]
# **The whole corpus at once.** BLEU is not a mean over sentences. The matches of all sentences are
# added, and so are the totals; then the precision $p_n$ is one number for all of them:
#
# $$p_n = \frac{\sum_{\text{sentences}} \mathrm{matches}_n}{\sum_{\text{sentences}} \mathrm{total}_n}$$
#
# **Too short.** A precision does not notice what is missing: the single word "the" is easily right.
# So a brevity penalty multiplies the rest. With $c$ words in all translations and $r$ in all
# references:
#
# $$\mathrm{BP} = \begin{cases} 1 & c \ge r \\ e^{1 - r/c} & c < r \end{cases}$$
#
# Too long needs no penalty: more n-grams make every total larger.
#
# **Together.** The geometric mean of four precisions, the penalty, and 100 in place of 1:
#
# $$\mathrm{BLEU} = 100 \cdot \mathrm{BP} \cdot \exp\Big(\frac14 \sum_{n=1}^4 \log p_n\Big)$$
#
# If there is no match for one of the four, the product is 0 and so is BLEU. That includes the case
# that there is nothing to count, because all translations are shorter than four words.
#
# ## Your turn
#
# Sentences are lists of words, none of them empty. There is one reference for each translation. A
# `Counter` counts what can be a key of a dict, such as a tuple: `Counter([("a", "b"), ("a", "b")])`
# has one key with the value 2, and 0 for any other.


# %%
def count_matches(translation, reference, n):
    """Return the clipped matches, and how many n-grams the translation has: two whole numbers.

    translation, reference: lists of words.
    """
    # BEGIN SOLUTION
    counts = []
    for words in (translation, reference):
        counts.append(Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)))
    own, theirs = counts
    matches = sum(min(count, theirs[gram]) for gram, count in own.items())
    return matches, sum(own.values())
    # END SOLUTION


def brevity_penalty(c, r):
    """Return the factor for c words where the references have r; both are at least 1."""
    # BEGIN SOLUTION
    return min(1.0, np.exp(1 - r / c))
    # END SOLUTION


def corpus_bleu(translations, references):
    """Return BLEU, from 0 to 100.

    translations, references: equally long lists of lists of words.
    """
    # BEGIN SOLUTION
    pairs = list(zip(translations, references, strict=True))
    counts = np.zeros((len(pairs), 4, 2))
    for i, (translation, reference) in enumerate(pairs):
        for n in (1, 2, 3, 4):
            counts[i, n - 1] = count_matches(translation, reference, n)
    matches, totals = counts.sum(0).T
    if not matches.all():
        return 0.0
    c = sum(len(words) for words in translations)
    r = sum(len(words) for words in references)
    return 100 * brevity_penalty(c, r) * np.exp(np.log(matches / totals).mean())
    # END SOLUTION
