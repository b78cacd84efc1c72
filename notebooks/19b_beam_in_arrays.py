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
# # 19b Beam search in arrays
#
# *A detour from [19](19_decoding.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# The step of notebook 19 sorts lists of words. A model of 825 tokens gives arrays, and remembers what it has read in a
# row for each hypothesis. Which row belongs to which, once some have dropped out?
#
# **After this you can** write beam search for a real model; say when it may stop although a length penalty is used; say
# where copies of a hypothesis come from, and what a state has to follow.
#
# Paper: section 6.1. About 35 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics
from helpers.phrase_tree import best_of_step, step_arrays
from helpers.pictures import show_arrays
from npformer_course import Bet, exercise, yours

schematics.beam()

# %% [markdown]
# ## A step in arrays
#
# This is step 1 of the picture, with probabilities in place of their logarithms. On the right are the four best
# continuations: *there* has the parent in row 1, *hello*.

# %%
P, next_P, open_ones, words = step_arrays()
best, parents, tokens = best_of_step(P, next_P, words)
columns = {"next_P": words, "best": tokens, "parents": tokens}
show_arrays(P=P, next_P=next_P, best=best, parents=parents, rows=open_ones, columns=columns)

# %% [markdown]
# The lists become arrays of logarithms: `log_p` (K,) of the open hypotheses, and `next_log_p` (K, V) of what may follow
# each. A step has two functions: the $n$ best continuations, each with its *parent*, the hypothesis that it continues;
# then points 2 and 3 of notebook 19. Each hypothesis has one continuation by `<eos>`, so of the best $2K$ at least $K$
# do not end.


# %%
def best_continuations(log_p, next_log_p, n):
    """Return the n most probable continuations of K open beginnings, best first.

    log_p (K,): of the beginnings, -inf for one that does not count. next_log_p (K, V): of each
    token behind each. Returns values (n,): the log P of the longer beginnings; parents (n,): which
    of the K beginnings each one continues; tokens (n,): by which token. n is at most the number of
    continuations that are not -inf.
    """
    raise NotImplementedError


def finished_and_open(tokens, eos, beam):
    """Return which of the best continuations are finished, and which stay open, before max_len.

    tokens (2 beam,): the last tokens of the continuations, best first. Returns finished (2 beam,):
    boolean; still_open (beam,): the places of those that stay open, best first. There are enough of
    them.
    """
    raise NotImplementedError


# %%
best_continuations, finished_and_open = exercise("beam").check(best_continuations, finished_and_open)

# %% [markdown]
# ## When it is over
#
# When may it stop? With a penalty an open hypothesis can still win, although its $\log P$ only falls: it may be divided
# by more, up to $lp(max\_len)$. It is over when even that would not lift the best open one above the best score.
# **Write** this (`length_penalty` may be called: it is yours of notebook 19, if you have written it there).

# %%
length_penalty, *_ = yours("beam")


# %%
def is_over(best_score, open_log_p, max_len, alpha):
    """Tell whether no open beginning can win any more, True or False.

    best_score: of the finished sentences. open_log_p: the highest log P of the open beginnings. The
    check calls it with finite numbers; your search may have -inf as long as no sentence is
    finished.
    """
    raise NotImplementedError


# %%
is_over = exercise("beam").check(is_over)

# %% [markdown]
# ## The loop
#
# **Write** the loop that calls these four. The model reads one token per hypothesis, and what it has read before is in
# the rows of `state`. A hypothesis that continues parent $p$ needs row $p$ of the state that has just come back. Two
# things are easily missed. At the start there are $K$ equal rows: give all except one a $\log P$ of $-\infty$, or the
# beam is full of copies. And after `max_len` tokens, what is open counts as finished, with the penalty of its length.


# %%
def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    """Return the sentence of the highest score that a beam search finds.

    model: a function, tokens (K,) and state (K, M) -> log-probabilities (K, V) and state (K, M),
    for any number K of rows. state (beam, M): that of the start, all rows equal. bos, eos, pad:
    ids. beam: K, how many stay open. Returns ids (max_len,), integers, and the score.
    """
    raise NotImplementedError


# %%
beam_search = exercise("beam").check(beam_search)

# %%
from helpers.shipped_search import BOS, EOS, MAX_LEN, PAD, reads_tokens, text_of

MAY_SHE = "May she call the men?"  # change it


def search(beam, alpha):
    """Return what your search writes, its tokens with <eos> (how many), and its score."""
    model, state = reads_tokens(MAY_SHE, beam)
    ids, score = beam_search(model, state, BOS, EOS, PAD, MAX_LEN, beam, alpha)
    return text_of(ids), int(np.sum(ids != PAD)), float(score)


[search(beam, 0.6)[:2] for beam in (1, 2, 4)]

# %% [markdown]
# Two open hypotheses find what one lost. Now a larger penalty: $\alpha = 5$ in place of 0.6. The search may write up to
# 60 tokens.

# %%
bet = Bet("How many tokens has the translation with alpha = 5 and K = 4?", [7, 9, 15, 60])
bet.place(...)

# %%
long_text, n_tokens, long_score = search(4, 5)
bet.settle(n_tokens)
long_text[:75], long_score

# %% [markdown]
# Its $\log P$ is $-171$, but that is divided by $(65/6)^5 = 149{,}000$: a score of $-0.001$. The right sentence of 7
# tokens has a $\log P$ of $-1.8$, divided by $(12/6)^5 = 32$: $-0.057$, which is less. So the search did what it was
# asked to.
#
# ## Two questions
#
# **1.** A state has keys and values of $t$ tokens in it, for each hypothesis. When may two hypotheses share a part?
#
# <details><summary>Answer</summary>
#
# As long as they begin with the same tokens: keys and values of a position depend only on the tokens up to it (notebook
# 25). Copies of rows are simpler, and cost memory.
#
# </details>
#
# **2.** You forget the $-\infty$ at the start, so $K = 4$ equal rows with the same $\log P$ begin. What does the search find?
#
# <details><summary>Answer</summary>
#
# What greedy decoding finds: *Darf sie die Männer die Männer anrufen?* Each continuation comes four times, so the best
# four are copies of one, and so they are after the next step. It takes four times the work, and no error is reported.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write beam search with its states, scores and stop;
# - name the two errors that are easily made: equal rows at the start, and rows that do not follow their parents;
# - say why a very large $\alpha$ writes without end.
#
# Back to the path: [notebook 20](20_byte_pairs.ipynb), what to do with a word that has no row in the table.
