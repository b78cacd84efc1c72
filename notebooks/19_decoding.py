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
# # 19 Decoding
#
# *Part III, Use it. Before: [18](18_debugging_a_training.ipynb). Next: [20](20_byte_pairs.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Give the translator of notebook 08 the sentence "May she call the men?", take the most probable word each time, and it
# writes *Darf sie die Männer die Männer anrufen?* It knows better: it gives the right translation 18 times the
# probability. What went wrong is not the model. It is the search.
#
# **After this you can** say why the best next word can lead away from the best sentence; write greedy decoding and the
# step of a beam search; say what the length penalty of the paper corrects.
#
# Paper: section 6.1. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics
from helpers.phrase_tree import DANKE, GUTEN_TAG, PhraseTree, check_step, draw_tree
from npformer_course import Bet, exercise

schematics.beam()

# %% [markdown]
# ## The best word, and the best sentence
#
# A model gives probabilities to the next token. A sentence $Y = (y_1, \dots, y_n)$, whose last token is `<eos>`, gets
# the product of them:
#
# $$P(Y \mid X) = \prod_{t=1}^{n} P(y_t \mid y_1, \dots, y_{t-1}, X)$$
#
# To see what a search does, take a language of six sentences. 200 people translate "guten Tag", and this is how many
# say what:

# %%
GUTEN_TAG

# %% [markdown]
# These counts are a model: what is the first word, and what comes after "good"? **Greedy decoding** takes the most
# probable next token, each time. Work out what it says before you look.

# %%
guten_tag = PhraseTree("guten Tag", GUTEN_TAG)
draw_tree(guten_tag, {"good day": "greedy", "how do you do": "best"})

# %% [markdown]
# A *hypothesis* is the beginning of a sentence, or a whole one, and its line is as wide as it is probable. Orange is
# greedy decoding, blue the most probable sentence. "good" is the most probable first word, but it has to share its 0.40
# among three endings, and "how do you do" loses nothing on its way. Greedy decoding cannot know: it never looks at what
# comes after a word, and never goes back.
#
# **Write it** for a real model, $B$ translations side by side. The function `model` takes all hypotheses from `<bos>`
# on and says what may follow at each position. A sentence that has ended stays in the array: give it `pad` from then
# on, which costs nothing in `log_p`. Once all have ended, do not ask the model again. `ids` has `max_len` columns, with
# `<eos>`, without `<bos>`, and `pad` where nothing was written.


# %%
def greedy(model, n_sentences, bos, eos, pad, max_len):
    """Return what the model writes when the most probable token is taken each time.

    model: a function, ids (B, t) -> log-probabilities (B, t, V). n_sentences is B. bos, eos, pad:
    three different ids, not always those of the toy. Returns ids (B, max_len), integers, and log_p
    (B,).
    """
    raise NotImplementedError


# %%
greedy = exercise("greedy").check(greedy)

# %% [markdown]
# (The docstring's toy is in the exercise's file.) Now the translator, of which `reads_beginnings` makes the function
# `model`. The numbers are $P(Y \mid X)$:

# %%
from helpers.shipped_search import BOS, EOS, PAD, reads_beginnings, text_of

MAY_SHE = "May she call the men?"
sources = ["I turn off the new radio every day.", "The dog sleeps.", MAY_SHE]  # change them
ids, log_p = greedy(reads_beginnings(sources), len(sources), BOS, EOS, PAD, 20)
[(text_of(row), round(float(p), 3)) for row, p in zip(ids, np.exp(log_p), strict=True)]

# %% [markdown]
# Our sentence has 0.277, although each of its ten tokens has between 0.80 and 0.93. The model was trained on smoothed
# labels (notebook 14), so even a token of which it is sure gets about 0.9, and ten of those have $0.9^{10} = 0.35$.
#
# And the men? Here is the probability of each token of what it wrote, and of the right translation:

# %% tags=["hide-input"]
from helpers.pictures import show_arrays
from helpers.shipped_search import token_probabilities

written_tokens, written = token_probabilities(MAY_SHE, "Darf sie die Männer die Männer anrufen?")
right_tokens, right = token_probabilities(MAY_SHE, "Darf sie die Männer anrufen?")
show_arrays(written=written, right=right, columns={"written": written_tokens, "right": right_tokens})

# %% [markdown]
# After *Darf sie die Männer* the model gives 0.35 to *die* and 0.30 to *anrufen*, to call. It is the tree once more:
# after *anrufen* all is clear, and after a second *die* nothing is.
#
# ## Keep several open
#
# **Beam search** keeps the $K$ best hypotheses open instead of one. The picture at the top is for "guten Tag" and
# $K = 2$. A step:
#
# 1. Continue every open hypothesis by every next word. Each of these has a probability, that of all its words.
# 2. Sort them. Those *among the first $K$* that end in `<eos>` are finished.
# 3. The first $K$ that do *not* end stay open, wherever they are in the list.
#
# Stop when nothing open is more probable than the best that is finished: no factor is above 1, so it can only fall.
#
# With $K = 2$ it answers *hello there*, although *how do you do* has 0.27. And with three?

# %%
bet = Bet("guten Tag with K = 3: how does its answer begin?", ["good", "hello", "how"])
bet.place(...)

# %% [markdown]
# **Write the step** in plain Python, for the trees. A hypothesis is a pair: a tuple of words, and its probability. At
# the start `((), 1.0)` is open. `tree.next_words(("good",))` is a dict of the next words with their probabilities,
# `<eos>` among them where a sentence can end.


# %%
def beam_step(tree, open_ones, beam):
    """Return what is finished and what stays open, two lists of pairs (words, P), best first.

    open_ones: a list of such pairs. A finished one has "<eos>" as its last word.
    """
    finished = ...  # some lines before this one
    still_open = ...
    return finished, still_open


# %%
beam_step = check_step(beam_step)


# %%
def beam_by_hand(tree, beam):
    """Return the most probable sentence that beam search finds, and its probability."""
    open_ones = [((), 1.0)]
    best = ((), 0.0)
    while open_ones and open_ones[0][1] > best[1]:
        finished, open_ones = beam_step(tree, open_ones, beam)
        best = max([best, *finished], key=lambda one: one[1])
    return best


found = {K: beam_by_hand(guten_tag, K) for K in (1, 2, 3, 4)}
[(K, " ".join(words), round(p, 2)) for K, (words, p) in found.items()]

# %%
bet.settle(found[3][0][0])

# %% [markdown]
# It is often said that beam search finds the most probable sentence. With $K = 2$ it does not: "how" was third after
# step 0, and dropped out. With three it stays. A beam is a wider guess, and no proof. The paper has $K = 4$.
#
# ## Long sentences pay for every word
#
# A search adds up logarithms, $\log P(Y \mid X) = \sum_t \log P(y_t \mid \dots)$. No term is above 0, so a further
# token can only lower the sum. A short sentence has an advantage that has nothing to do with its meaning. 200 people
# have translated "danke": 63 say "thanks", and "thank you very much" has 56, with more words to pay for. So the paper
# divides $\log P$ by a **length penalty**, that of Wu et al. 2016 (equation 14), with $\alpha = 0.6$:
#
# $$s(Y) = \frac{\log P(Y \mid X)}{lp(|Y|)}, \qquad lp(n) = \left(\frac{5 + n}{6}\right)^{\alpha}$$
#
# $|Y|$ counts the tokens that were written, with `<eos>` and without `<bos>`. $\log P$ is below 0, so dividing it by
# more lifts it. Only finished sentences are divided. Open ones have all the same length, and are compared by $\log P$.
#
# **Write** the penalty.


# %%
def length_penalty(length, alpha):
    """Return lp(length); length is an integer or an array of integers."""
    raise NotImplementedError


# %%
length_penalty = exercise("beam").check(length_penalty)

# %% [markdown]
# **Question.** These are the four finished hypotheses of "danke". Move $\alpha$ (with the arrow keys, for small steps)
# until another one wins. Where is that? Then work it out: at this $\alpha$ two scores are equal. And which of the four
# can never win, however large $\alpha$ is?

# %% tags=["hide-input"]
from helpers.live_figures import live_alpha

live_alpha({sentence: n / 200 for sentence, n in DANKE.items()})

# %% [markdown]
# <details><summary>Answer</summary>
#
# Up to 0.272 "thanks" wins, from 0.274 "thank you very much". The scores are equal where $(10/7)^\alpha = \ln 0.28 /
# \ln 0.315$, that is, at $\alpha = 0.2722$. The other two never win: both are less probable than "thank you very much",
# and neither is longer.
#
# </details>
#
# So which do you want, the most probable sentence or the better translation? These are two questions. The model answers
# the first. The penalty is a correction by hand: 0.6 was found by trying, on a development set (section 6.1). (Many
# toolkits divide by $|Y|^\alpha$. There the same $\alpha$ does more: from two tokens to five, the divisor grows 1.73
# times at 0.6, and 1.24 times with Wu's formula.)
#
# ## What no search repairs
#
# And "May she call the men?" Here it is with the library's search, which is yours on arrays.

# %%
from helpers.shipped_search import translator

[(K, translator().translate([MAY_SHE], beam=K)[0]) for K in (1, 2, 4)]

# %% [markdown]
# With two open hypotheses the men are called: *anrufen*, with its 0.30, stays open next to *die*. This is a rare case.
# Of 500 sentences that the translator has never seen, greedy decoding gets 498 right, and a beam of 4 gets 499. The one
# that is left is "I buy forty-six good apples.": both write *Ich kaufe sechsundvierzig Äpfel*, with $P = 0.42$, where
# the right one, with *gute*, has 0.0002. No search can repair that. A wrong sentence that is less probable than the
# right one is a **search error**. If it is more probable, it is a **model error**.
#
# Better search lays model errors bare. Koehn and Knowles (2017) measured that wide beams make translations *worse*.
# Stahlberg and Byrne (2019) found the most probable translation of every sentence of a test set: for more than half of
# them it was the empty one. A narrow beam is not only cheaper. What it misses is often worse.
#
# **Question.** A model has 37,000 tokens and writes a sentence of 20. How many hypotheses must it read with greedy
# decoding, with beam search of $K = 4$, and to look at every sentence of 20 tokens?
#
# <details><summary>Answer</summary>
#
# Greedy decoding reads 20, one per token. Beam search reads four times as many, less three, because at the first step
# there is only one: 77. All sentences have $1 + V + V^2 + \dots + V^{19}$ beginnings, about $10^{87}$. (Each is read
# from its first token on, although only its last token is new. Notebook 25 has a cache against that.)
#
# </details>

# %% [markdown]
# **You can now**
#
# - give a case in which the most probable first word does not begin the most probable sentence;
# - write greedy decoding and a step of beam search;
# - tell a search error from a model error, and say what $\alpha$ corrects.
#
# Next: [notebook 20](20_byte_pairs.ipynb), what to do with a word that has no row in the table. Detour:
# [19b](19b_beam_in_arrays.ipynb), the whole search for a model of 825 tokens.
