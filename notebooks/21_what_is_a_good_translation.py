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
# # 21 What is a good translation?
#
# *Part III, Use it. Before: [20](20_byte_pairs.ipynb). Next: [22](22_error_bars.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Is the translator good? A person who knows both languages could read 500 of its sentences and say. Nobody does that
# after every change of a model. So a program judges, and it knows neither of the languages.
#
# **After this you can** compute BLEU, the score of the paper's table 2; score a translator on sentences that were held
# out; say what such a score sees and what it cannot see.
#
# Paper: section 6.1. About 40 minutes with its writing.

# %%
# %matplotlib inline
from collections import Counter  # noqa: F401, for what you write

import numpy as np

from helpers.damaged_sentences import BROKEN, Damage, chrf_of, draw_damage, draw_scores, words_of
from helpers.pictures import show_arrays
from helpers.schematics import n_gram_matches
from npformer_course import Bet, exercise

n_gram_matches()

# %% [markdown]
# ## Count what matches
#
# A person has translated the sentence too: that is the **reference**. The score compares the two, word by word. Here are
# the reference of the course's sentence and four translations of it. Three are by copies of our translator whose parameters
# were damaged; the last one is by a person, and as right as the reference.

# %%
reference = words_of("Ich schalte jeden Tag das neue Radio aus.")
texts = [
    "Ich schalte jeden jeden jeden jeden Tag das neue Radio aus.",
    "Ich schalte jeden Tag das neue Radio.",
    "Ich schalte jeden Morgen das neue Radio aus.",
    "Jeden Tag schalte ich das neue Radio aus.",
]  # add your own
translations = [words_of(text) for text in texts]

# %% [markdown]
# How many words of the first one are in the reference? All twelve: but then "das das das das" would be perfect. So a word
# matches at most as often as the reference has it, and *jeden* matches once. The count is **clipped**: 9 of 12.
#
# Words by themselves say nothing of their order. So BLEU (Papineni et al. 2002) also counts sequences of two, three and
# four neighboring words, **n-grams**, in the same way. The lower half of the picture has one cell for each n-gram of
# the translation, dark if it matches.
#
# **Write it** for one pair of sentences and one n. A `Counter` counts what can be a key of a dict, such as a tuple:
# `Counter([("a", "b"), ("a", "b")])` has the key `("a", "b")` with the value 2, and gives 0 for every other key.


# %%
def count_matches(translation, reference, n):
    """Return the clipped matches, and how many n-grams the translation has: two whole numbers.

    translation, reference: lists of words.
    """
    raise NotImplementedError


# %%
count_matches = exercise("bleu").check(count_matches)

# %%
counts = np.zeros((len(translations), 4, 2))
for i, words in enumerate(translations):
    for n in (1, 2, 3, 4):
        counts[i, n - 1] = count_matches(words, reference, n)
matches = counts[..., 0]  # (4, 4): a row for each translation, n = 1 to 4
totals = counts[..., 1]
precisions = matches / totals
show_arrays(precisions=precisions, rows=texts, columns=["n = 1", "n = 2", "n = 3", "n = 4"])

# %% [markdown]
# A share of matches is called a **precision**, $p_1$ to $p_4$: how much of what was written is in the reference. It does
# not ask what is *missing*. The second translation has lost its *aus*, which makes *I switch the new radio* of it, and
# its $p_1$ is 1.
#
# ## Too short, and all sentences together
#
# The **brevity penalty** asks that. With $c$ words in the translations and $r$ in the references:
#
# $$\mathrm{BP} = \begin{cases} 1 & c \ge r \\ e^{1 - r/c} & c < r \end{cases}
# \qquad\qquad \mathrm{BLEU} = 100 \cdot \mathrm{BP} \cdot \left(p_1\, p_2\, p_3\, p_4\right)^{1/4}$$
#
# What is too long needs no penalty: it has more n-grams, and all totals are larger.
#
# And a corpus? BLEU is not the mean over its sentences. The matches of *all* sentences are added, and so are the totals
# and the lengths. Then there are four precisions and one penalty, for everything at once.
#
# **Write both.** $p_n$ is the sum of all matches over the sum of all totals. If nothing matches for one of the four n,
# BLEU is 0; that includes a corpus without any sequence of four words. The fourth root of a product is
# $\exp\left(\frac14 \sum_n \ln p_n\right)$, for which you need that case first.


# %%
def brevity_penalty(c, r):
    """Return the factor for c words where the references have r; both are at least 1."""
    raise NotImplementedError


def corpus_bleu(translations, references):
    """Return BLEU, from 0 to 100.

    translations, references: equally long lists of lists of words.
    """
    raise NotImplementedError


# %%
brevity_penalty, corpus_bleu = exercise("bleu").check(brevity_penalty, corpus_bleu)

# %%
scores = {}
for text, words in zip(texts, translations, strict=True):
    scores[text] = corpus_bleu([words], [reference])
draw_scores(scores)

# %% [markdown]
# The best score goes to a sentence that is wrong: without *aus* nothing is turned off. Four times *jeden* costs about as
# much as the wrong time of day. And the lowest score goes to the one translation without a mistake. *Jeden Tag schalte
# ich* begins with the day, as a German may, and the reference happens to begin with *Ich*.
#
# The score is not broken. It compares with one reference, and it was made for thousands of sentences, where such luck
# should even out.
#
# ## A translator is scored
#
# Now the real one, on the 500 sentences of the phrasebook that were held out. (It is `beam=1`, greedy decoding, because
# that takes a second.)

# %%
import npformer as npf
from helpers.compare import compare
from npformer.datasets import phrasebook

_, held_out = phrasebook.split()
sources = [pair.source for pair in held_out]
references = [words_of(pair.target) for pair in held_out]


def bleu_of(translator):
    """Return BLEU of a translator on the held-out sentences, and its translations."""
    outputs = translator.translate(sources, beam=1)
    return corpus_bleu([words_of(text) for text in outputs], references), outputs


translator = npf.load("phrasebook")
bleu, outputs = bleu_of(translator)
compare(bleu, 99.9, "BLEU", tolerance=0.002)

# %% [markdown]
# 99.9, and 498 of the 500 are the reference, word for word. Is it a perfect translator?

# %%
translator.translate(
    ["The radio turns off the dog.", "I love you.", "The old cake reads a book."], beam=1
)  # change them

# %% [markdown]
# The first is German, and shows that it does not know what a dog is. *Ich liebe du* is wrong, and so is *Die alten Kuchen
# liest*. None of this can be in the score: the held-out sentences are by the same small grammar as those it learned from,
# and that grammar has one translation for each. The score says that the translator has learned the grammar, and nothing of
# any other English. With the paper's 28.4 it is the other way round: news by many authors, and thousands of right
# translations for each sentence, of which the reference is one.
#
# To see a score at work, we need a translator that makes mistakes. Take away its digits: in each row of each matrix,
# round every number to one of a few values. (This is done in earnest, since a number with seven possible values needs 3
# bits and not 32.)

# %%
from helpers.rounded import rounded_translator

of_rounded = {}
for n_steps in (15, 7, 5, 4, 3, 2):  # values above 0; there are as many below
    of_rounded[2 * n_steps + 1], outputs = bleu_of(rounded_translator(n_steps))
    if n_steps == 3:
        seven = outputs  # the sentences of the copy with seven values

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, main_color

figure, ax = new_figure(width=6.5, height=3)
ax.plot(range(len(of_rounded)), list(of_rounded.values()), "o-", color=main_color())
for place, value in enumerate(of_rounded.values()):
    ax.annotate(f"{value:.1f}", (place, value), xytext=(0, -14), textcoords="offset points", ha="center", fontsize=9)
ax.axhline(bleu, color=GREY, linestyle="--", linewidth=1)
ax.set_xticks(range(len(of_rounded)), of_rounded)
ax.set(xlabel="different values in a row of a matrix", ylabel="BLEU", ylim=(20, 104))
figure

# %% [markdown]
# Fifteen values are nearly as good as all. With seven the score is 89.9. What does that mean? Read. Here are some of the
# sentences of the copy with seven values:
#
# | English | the copy |
# |---|---|
# | I open your door. | Ich ich deine Tür auf. |
# | She is hungry. | Sie ist hungrig ist hungrig. |
# | This doctor works on Fridays. | Dieser Arzt arbeitet freitags sonntags. |
# | Does your nice sister eat bread? | Sieht deine nette Schwester Brot? |
# | Your cat is clever. | Deine Mutter ist klug. |
# | She cannot turn off the small radio. | Sie kann das kleine Radio nicht einschalten. |
# | She does not want to call my friend. | Sie will meinen Freund anrufen. |
#
# The first two nobody would write, and everybody understands. The last four are German without a fault: your sister
# *sees* bread, your *mother* is clever, she cannot turn *on* the radio, she *wants* to call. What do they cost?

# %%
of_three = {}
for source, text, right in zip(sources, seven, references, strict=True):
    if source.startswith(("This doctor works on", "She cannot turn off the small", "She does not want to call")):
        of_three[text] = corpus_bleu([words_of(text)], [right])
draw_scores(of_three)

# %% [markdown]
# To turn *on* instead of *off* costs least of the three. The lost *nicht* costs as much as a *sonntags* too many.
#
# ## What a score sees
#
# Three sentences are an anecdote. So damage many, in seven ways that you know. To be fair, every way damages the *same*
# sentences, each in one place: the 258 of the phrasebook in which all seven find something, a *nicht*, an umlaut, an
# article and a noun. Which of these three costs most BLEU?
#
# - "noun": another noun is there, *Ich mache die **Freunde** nicht zu*, I do not close the friends;
# - "nicht": *nicht* is missing, *Ich mache die Tür zu*, I close the door;
# - "order": two neighboring words are exchanged, *Ich **die mache** Tür nicht zu*, I the close door not.

# %%
bet = Bet("Which of the three costs most BLEU?", ["noun", "nicht", "order"])
bet.place(...)

# %%
training, _ = phrasebook.split()
damage = Damage([pair.target for pair in training])
bleu_of_damage = {kind: corpus_bleu(damaged, damage.originals) for kind, damaged in damage.damaged.items()}
bet.settle(min(bet.options, key=bleu_of_damage.get))
draw_damage(damage, BLEU=bleu_of_damage)

# %% [markdown]
# Without *nicht* a sentence says the opposite. An umlaut as two letters, *Tuer* for *Tür*, every German reads without
# noticing. BLEU finds both equally bad, 73 and 71: one word is one word. And *mache mache*, which nobody would write,
# costs least of all.
#
# Why is it worst to exchange two words, although every word is there? Count sequences of four.
#
# **Write it:** in the middle of a long sentence, how many 4-grams of the damaged sentence contain the damage, so that the
# reference does not have them? Give a number for another noun, for a missing word, for two words exchanged, and for a
# word that is there twice. (Write twelve letters, damage them, and look.)

# %%
broken = ...  # four numbers
broken = BROKEN.check(broken=broken)

# %% [markdown]
# Should an umlaut cost as much as a *nicht*? **chrF** counts sequences of one to six *characters*, without spaces. It
# takes precision $P$ and recall $R$, which is the share of the *reference's* sequences that were found, each as a mean over
# the six lengths:
#
# $$\mathrm{chrF} = 100 \cdot \frac{5\, P R}{4 P + R}$$
#
# The 4 is there so that recall counts more.

# %%
chrf_of_damage = {kind: chrf_of(damaged, damage.originals) for kind, damaged in damage.damaged.items()}
draw_damage(damage, BLEU=bleu_of_damage, chrF=chrf_of_damage)

# %% [markdown]
# For chrF a wrong grammatical case is a letter and not a word, so it forgives *der* for *die*, and the umlaut. It does not
# know what *nicht* is for either: 85, as for the exchanged words.
#
# The scores count. That models with higher scores mostly translate better is an observation, made on models with many
# mistakes of many kinds, and it need not hold for two good ones. A newer kind of score asks a trained model (COMET, Rei et
# al. 2020): an encoder reads source, translation and reference, and was trained to predict the marks that people give.
# It agrees with people better than counts do. But it is a model itself, with languages that it has not met, and it cannot
# say why.
#
# ## Three questions
#
# **1.** A model always repeats its last word. Can that raise its BLEU?
#
# <details><summary>Answer</summary>
#
# Yes, if it was too short. The second copy is clipped, so the precisions fall. But $c$ grows by one, and the penalty gets
# milder. *Ich schalte jeden Tag das* has a penalty of $e^{1 - 9/5} = 0.45$ and a BLEU of 44.9. With another *das* the
# penalty is 0.61, and BLEU 46.1.
#
# </details>
#
# **2.** The reference is *the girl sees a small dog in the garden.* One model writes *a little dog*, one *a huge dog*, and
# one *no small dog*. Which does BLEU prefer?
#
# <details><summary>Answer</summary>
#
# None: each has one other word, far enough from both ends, and gets 65.8. A synonym counts only if another reference has
# it: with several references, an n-gram matches if any of them has it. So scores with one and with four references cannot
# be compared.
#
# </details>
#
# **3.** The paper searches with a beam of 4 and a length penalty of $\alpha = 0.6$, chosen on other sentences. Which part
# of BLEU does $\alpha$ act on?
#
# <details><summary>Answer</summary>
#
# Mostly on lengths, and so on the brevity penalty: a beam prefers short sentences (notebook 19), and $\alpha$ makes them
# longer. But it selects *other* sentences, so the precisions move too. A BLEU that rises only because lengths match now is
# no better translation of any word.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute BLEU of a corpus from matches, totals and lengths;
# - score a translator, and say of which sentences the score holds;
# - tell what a score counts from what a person would mind.
#
# Next: [notebook 22](22_error_bars.ipynb). One translator has a chrF of 97.0, and with a head less 96.3. Did the head do
# anything?
# In a terminal, `npformer evaluate` prints BLEU and chrF of a trained model, each with the *signature* that says how the
# text was cut into words: without it a score cannot be compared with anybody's.
