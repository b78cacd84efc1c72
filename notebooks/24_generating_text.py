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
# # 24 Generating text
#
# *Part III, Use it. Before: [23](23_language_modeling.ipynb). Next: [25](25_kv_cache.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A language model gives a probability to each character that could come next. That is no text yet. Take the most
# probable one every time, and it writes the same sentence forever. Draw one at random, and sooner or later it draws
# one that nobody would write.
#
# **After this you can** write a text with any language model; say what temperature, top-k and top-p do to its
# probabilities; choose them for what you need.
#
# Paper: section 3.1, one token at a time; top-p is newer (Holtzman et al. 2020). About 40 minutes with its writing.

# %%
# %matplotlib inline
from functools import partial

import numpy as np

from helpers import generating, schematics
from helpers.pictures import show_arrays
from npformer_course import Bet, exercise, yours

softmax = yours("softmax")
schematics.generating_text()

# %% [markdown]
# ## One character after another
#
# The model is that of notebook 23 after a longer training, 5,600 updates of 1,024 characters (held-out loss 0.52 nats
# per character). It has read the beginning of the sentence of the course. Three things can be turned off in its
# world: a lamp, a radio and a computer.
#
# How does one draw a character, so that each comes with its probability? Lay the probabilities end to end on a line
# from 0 to 1, in the order of the ids. A random number $u$ in $[0, 1)$ falls on one of them: the first whose running
# sum is above $u$.
#
# **Write it**, for $B$ texts at a time. A character of probability 0 has a piece of length 0, and is never drawn, not
# even with $u = 0$. (`np.cumsum(p, 1)` has the running sums of each row.)


# %%
def draw_tokens(probabilities, u):
    """Return the ids (B,), integers, on which the numbers u (B,) fall, each in [0, 1).

    probabilities (B, V): rows that sum to 1, in which a token outside the nucleus has 0 and is
    never drawn.
    """
    raise NotImplementedError


# %%
draw_tokens = exercise("top_p").check(draw_tokens)

# %% [markdown]
# Draw a thousand times what follows "I turn off the new ". (The nucleus in the docstring comes below.)

# %%
p = softmax(generating.next_logits("I turn off the new "))  # (1, 43); change the text
rng = np.random.default_rng(0)
ids = draw_tokens(np.repeat(p, 1000, axis=0), rng.random(1000))
drawn = np.bincount(ids, minlength=43) / 1000
best = np.argsort(-p[0])[:7]
names = [generating.characters[i] for i in best]
show_arrays(p=p[0, best, None], drawn=drawn[best, None], rows=names, decimals=3)

# %% [markdown]
# Now writing is a loop of three lines: ask, choose, append.


# %%
def write(text, n, choose):
    """Append n characters to a text. `choose` returns ids (B,) from logits (B, V)."""
    for _ in range(n):
        [id] = choose(generating.next_logits(text))
        text += generating.characters[id]
    return text


def most_probable(logits):
    return logits.argmax(-1)


def any_character(logits, temperature=1.0):
    return draw_tokens(softmax(logits / temperature), rng.random(len(logits)))


# %%
write("I turn off the ", 200, most_probable).split("\n")

# %%
write("I turn off the ", 200, any_character).split("\n")  # run it again: another text

# %% [markdown]
# The first text is correct and worthless: after two lines it repeats one sentence, and will do so forever. In the
# second every line is new. Nearly all words are words. But *Does my father see sixty-four years old* begins as one
# sentence and ends as another: what belongs together over a whole sentence is learned last. And *woffice* is no word.
# After *this wo* the model gave 0.61 to *m*, for *woman*, and 0.27 to *f*. Once that was drawn it saw an *office*.
#
# ## Temperature
#
# Between the two there is a knob. Divide all logits by a **temperature** $\tau$ before the softmax:
#
# $$p = \mathrm{softmax}(z / \tau)$$
#
# Logits that are 1 apart are then $1/\tau$ apart. As $\tau$ approaches 0 the most probable character gets everything,
# and as it grows all become equal. `any_character` above has it as an argument.
#
# In the figure *characters read* goes through the sentence *I turn off the new radio every day.* The scale is
# logarithmic, so that you see the improbable ones too. Change only the temperature for now.
#
# **Question.** At which of the places 8 (after *I turn o*), 9 and 19 does a temperature of 2 do the most harm?

# %% tags=["hide-input"]
from helpers.live_figures import live_temperature

sentence = "I turn off the new radio every day."
logits = generating.logits_of("\n" + sentence)[:-1]  # after 0, 1, ... characters of it
live_temperature(sentence, generating.characters, logits, read=19)

# %% [markdown]
# <details><summary>Answer</summary>
#
# At 19. After *I turn of* the model is nearly certain, and *f* keeps 0.97. After *I turn o* two letters are possible,
# and 0.08 is left for all others. But at 19 it is 0.29: more than every fourth character drawn is none of the three
# that make sense. The same temperature harms most where the model is least sure.
#
# </details>
#
# ## Cut off the tail
#
# At a typical place 40 of the 43 characters have less than 0.01 each, and 0.004 together. That looks like nothing.
# But a text is long: in 200 characters the chance to draw at least one of these is $1 - 0.996^{200} = 0.55$. And what
# follows continues from a misspelled word, such as the model has never read.
#
# So cut off the tail and draw from the rest. Where does it begin? **Top-k** keeps the $k$ most probable characters.
# But no single $k$ is good: after *I turn o* two letters are possible, after *I* nearly twenty. **Top-p** lets the
# model decide. The **nucleus** is the smallest set of characters whose probabilities add up to at least $p$: take the
# most probable one, then the next, until the sum reaches $p$. The one with which it reaches $p$ is in.
#
# **Write it**: True for what is in the nucleus, in the order of the ids. (`np.argsort(-probabilities, axis=1)` has
# the ids of each row, the most probable first. Try a row on paper: 0.15, 0.5, 0.05, 0.3 and $p = 0.7$.)


# %%
def nucleus(probabilities, p):
    """Return a boolean array (B, V), True for the tokens of each row's nucleus.

    probabilities (B, V): rows that sum to 1, in no order. 0 < p < 1.
    """
    raise NotImplementedError


# %%
nucleus = exercise("top_p").check(nucleus)

# %% tags=["hide-input"]
beginnings = ("I ", "I turn o")
after = {text: softmax(generating.next_logits(text)) for text in beginnings}
kept = {
    "top-k 5": {text: p[0] >= np.sort(p[0])[-5] for text, p in after.items()},
    "top-p 0.9": {text: nucleus(p, 0.9)[0] for text, p in after.items()},
}
generating.show_cuts({text: p[0] for text, p in after.items()}, kept)

# %% [markdown]
# Where many characters are right, $k = 5$ cuts good ones off: *I want*, *I am*, *I see*. Where two are right it lets
# wrong ones in. Top-p does neither here. It is not free either: after *I*, the letters *e* and *i* of *eat* and
# *invite* are cut off although they are about as probable as the last ones that are kept.
#
# Outside the nucleus all probabilities become 0, and what remains is divided by its sum, so that it adds up to 1
# again. The temperature comes before that: the nucleus is one of $\mathrm{softmax}(z / \tau)$.
#
# **Write it**, with your nucleus.


# %%
def top_p_probabilities(logits, temperature, p):
    """Return P' (B, V), from which the next token is drawn.

    logits (B, V), temperature above 0, 0 < p < 1.
    """
    raise NotImplementedError


# %%
top_p_probabilities = exercise("top_p").check(top_p_probabilities)

# %% [markdown]
# Go back to the figure and move *top-p* and *top-k*: the dashed bars are cut off, and the solid ones have grown.
#
# ## Which is best?
#
# Let it write, with your three functions, 200 texts of 64 characters side by side. It has learned from 20,000
# sentences, and read each about seven times.

# %%
bet = Bet(
    "temperature 1, top-p 0.9: which share of its sentences is in the text it learned from?", ["5 %", "half", "95 %"]
)
bet.place(...)


# %%
def without_tail(logits, temperature=1.0):
    return draw_tokens(top_p_probabilities(logits, temperature, p=0.9), rng.random(len(logits)))


sentences = generating.sentences_of(generating.write_many(without_tail))
known = np.mean([sentence in generating.learned_sentences for sentence in sentences])
shares = {"5 %": 0.05, "half": 0.5, "95 %": 0.95}
bet.settle(min(shares, key=lambda option: abs(shares[option] - known)))
sentences[:8]

# %% [markdown]
# It does not copy. It has found what the sentences have in common, and most of what it writes has never been written.
#
# So call a sentence *good* if it is new, if all its words are words, and if the model has not written it already.
# (Mistakes of grammar are not counted: for those you have to read.) Which temperature makes the most good sentences,
# with the tail and without?

# %%
temperatures = [0.1, 0.25, 0.5, 1, 1.5, 2]
good = {"all characters": [], "top-p 0.9": []}
for temperature in temperatures:
    for name, choose in zip(good, (any_character, without_tail), strict=True):
        texts = generating.write_many(partial(choose, temperature=temperature))
        good[name].append(generating.share_of_good(texts))

# %% tags=["hide-input"]
generating.show_shares(temperatures, good)

# %% [markdown]
# At 0.1 the model repeats itself, and even more without the tail. At 2 nearly three quarters of the sentences are
# lost, and cutting off the tail brings most of them back. Between 0.5 and 1 nine of ten are good, and there the cut
# does little. This model has 43 characters, and is sure of most. One with 50,000 tokens has a thicker tail: of all
# settings that Holtzman et al. tried on GPT-2, top-p with $p = 0.95$ came closest to what people write.
#
# There is no best temperature. A program should be right, a story should surprise. In `npformer generate` the
# settings have the names that you know: `--temperature`, `--top-k` and `--top-p`.
#
# ## How such a model becomes an assistant
#
# Ask a language model something, and it continues with what often follows a question in its text, perhaps three more
# questions. Ouyang et al. (2022) changed that in three steps. The decoder and the drawing stay as they are.
#
# 1. People write good answers to some 13,000 requests, and the model is trained on them with the loss that you know.
# 2. People put several answers of the model to one request in order. A copy of the model with one output instead of
#    $V$ learns a number for each answer, its *reward* $r$. Of two answers $a$ and $b$, of which $a$ is better, it says
#    that $a$ is the better one with the probability $e^{r_a} / (e^{r_a} + e^{r_b})$: the softmax of two rewards. Its
#    loss is $-\ln$ of that. (Papers write $\sigma(r_a - r_b)$ for it, with the sigmoid $\sigma(x) = 1 / (1 + e^{-x})$.)
# 3. The model writes answers and is trained to get a high reward, while it is kept close to where it started.
#
# People preferred the answers of such a model with 1.3 billion parameters to those of one with 175 billion that could
# only continue texts.
#
# ## Three questions
#
# **1.** You write with top-p 0.9 and raise the temperature from 1 to 2. Are more characters kept, or fewer? And with
# top-k?
#
# <details><summary>Answer</summary>
#
# More. The temperature comes first and makes the distribution flatter, so it takes more characters to reach 0.9. At
# the beginning of a sentence 5 are kept with a temperature of 0.5, 9 with 1, and 13 with 2. Top-k keeps as many as
# before, only with other shares.
#
# </details>
#
# **2.** At temperature 0 a long text repeats itself in the end, forever. Why must it?
#
# <details><summary>Answer</summary>
#
# The next character is then a function of the window of 64 characters, and there are finitely many windows. So one of
# them comes again, and everything after it too. Beam search does not help: it finds texts that are more probable, and
# repetition is probable.
#
# </details>
#
# **3.** Measure the surprise of notebook 23 on texts that the model writes at temperature 1. Is it less than the 0.49
# nats that the first 64 characters of held-out texts cost, because the model likes its own texts?
#
# <details><summary>Answer</summary>
#
# It is the same, 0.49. If the model's probabilities are right, then drawing from them gives texts just as surprising
# as real ones. At a temperature of 0.5 it is 0.40, and with top-p 0.9 it is 0.45: such texts are more predictable
# than real ones. People do not write what is most probable either.
#
# </details>

# %% [markdown]
# **You can now**
#
# - draw the next token from a model's probabilities, and write a text with it;
# - sharpen or flatten them with a temperature, and cut off their tail with top-k and top-p;
# - judge a setting by what it writes: words, repetition, and what is new.
#
# Next: [notebook 25](25_kv_cache.ipynb), how each new token costs little, though it looks at all before it. Detours:
# [24b](24b_couplets.ipynb), where you write `score_ceiling`, the best score that anybody could get where many answers
# are right; [24c](24c_couplets_of_the_tang.ipynb), what a model needs to answer a line of verse.
