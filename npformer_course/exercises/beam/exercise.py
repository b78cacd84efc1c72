# %% [markdown]
# # Beam search: a few roads at once
#
# Greedy decoding never goes back. If the most probable first word leads nowhere, that is where the
# sentence ends up. To try all sentences is out of the question: with 37,000 tokens there are more than
# $10^{45}$ sentences of ten.
#
# Beam search keeps the $K$ best *beginnings* (the paper has $K = 4$, section 6.1). At each step
# every one of them is continued by every token, which makes $K V$ longer beginnings, and of these
# the best $K$ stay. What is compared is the whole way so far, $\log P(y_1, \dots, y_t \mid X)$: the
# sum over the tokens, not the last token alone.
#
# **Length.** Every token makes $\log P$ smaller, so the most probable sentence tends to be a short
# one. The paper takes the correction of Wu et al. 2016 (equation 14), with $\alpha = 0.6$:
#
# $$s(Y) = \frac{\log P(Y \mid X)}{lp(|Y|)}, \qquad lp(n) = \Big(\frac{5 + n}{6}\Big)^{\alpha}$$
#
# $|Y|$ counts the tokens that were written, `<eos>` too and `<bos>` not. The score $s$ is a verdict
# on *finished* sentences. It has no part in the race of the beginnings, which all have the same
# length anyway, and whose $\log P$ keeps being added to.
#
# **The model.** Here it reads one token at a time and remembers the rest: `model(tokens, state)`.
# `tokens` $(K,)$ are the last tokens of $K$ beginnings (first of all `<bos>`), `state` $(K, M)$ is
# what the model has noted down of each. It returns the log-probabilities $(K, V)$ of what follows,
# and the new state $(K, M)$. In a Transformer the state is made of keys and values, the subject of
# the next exercise. What matters now: *row $k$ of the state belongs to beginning $k$.*
#
# Here is the search in plain lists, each beginning with a state of its own. It is right, and slow:
# the model reads one beginning at a time, everything is sorted, and the search goes on to the last
# even if the winner is known.

# %%
import numpy as np


def beam_search_slowly(model, state, bos, eos, pad, max_len, beam, alpha):
    """The same as below: state (1, M) or (K, M), whose rows are equal."""
    open_ones, finished = [([bos], 0.0, state[:1])], []
    for _ in range(max_len):
        longer = []
        for path, total, own_state in open_ones:
            next_log_p, next_state = model(np.array(path[-1:]), own_state)
            for token in range(next_log_p.shape[1]):
                longer.append((path + [token], total + next_log_p[0, token], next_state))
        longer.sort(key=lambda one: one[1], reverse=True)
        for path, total, _ in longer[:beam]:
            tokens = path[1:]  # without <bos>
            if tokens[-1] == eos:
                finished.append((total / ((5 + len(tokens)) / 6) ** alpha, tokens))
        open_ones = [one for one in longer if one[0][-1] != eos][:beam]
    for path, total, _ in open_ones:
        finished.append((total / ((5 + max_len) / 6) ** alpha, path[1:]))
    score, tokens = max(finished)
    return np.array(tokens + [pad] * (max_len - len(tokens))), score


# %% [markdown]
# ## Your turn
#
# Five functions, the last made of the others, each checked alone. The rules of the search, the same
# as above:
#
# - All continuations of all open beginnings are ranked by $\log P$, best first. Those among the
#   *first $K$* that end in `<eos>` are finished. The first $K$ *without* `<eos>` (further down, if
#   need be) are the open beginnings of the next step. As each beginning has one continuation by
#   `<eos>`, it is enough to look at the best $2K$.
# - At the start there is one beginning, `<bos>`. You are given $K$ equal rows of state. Either you
#   start with one row, or you give all but one of the $K$ copies a $\log P$ of $-\infty$, so that
#   no sentence is found $K$ times. To the check both are the same. $V$ is at least $2K$, so one
#   beginning has enough continuations.
# - `max_len` counts written tokens. After that many, the open beginnings count as finished as they
#   are.
# - The winner is the finished sentence of the highest score. `ids` are its tokens, without `<bos>`,
#   with `<eos>` if it has one, `pad` in every place after.
#
# And what makes it fast:
#
# - The model reads all open beginnings at once. So when beginning $k$ of the next step continues
#   beginning $p$ of this one, its state is row $p$ of the state that the model has just returned.
# - After each step, ask whether any open beginning can still win. Its $\log P$ can only sink, and
#   it will never be divided by more than $lp(max\_len)$. So stop when the best finished score is at
#   least the highest open $\log P$ divided by $lp(max\_len)$. Which tokens the model is given at
#   each step is checked (in any order of the rows), and so is how often it is asked.
#
# No two continuations are equally likely.


# %%
def length_penalty(length, alpha):
    """Return lp(length); length is an integer or an array of integers."""
    # BEGIN SOLUTION
    return ((5 + length) / 6) ** alpha
    # END SOLUTION


# %%
def best_continuations(log_p, next_log_p, n):
    """Return the n most probable continuations of K open beginnings, best first.

    log_p (K,): of the beginnings, -inf for one that does not count. next_log_p (K, V): of each
    token behind each. Returns values (n,): the log P of the longer beginnings; parents (n,): which
    of the K beginnings each one continues; tokens (n,): by which token. n is at most the number of
    continuations that are not -inf.
    """
    # BEGIN SOLUTION
    totals = log_p[:, None] + next_log_p
    order = np.argsort(-totals, axis=None)[:n]
    parents, tokens = np.divmod(order, totals.shape[1])
    return totals[parents, tokens], parents, tokens
    # END SOLUTION


# %%
def finished_and_open(tokens, eos, beam):
    """Return which of the best continuations are finished, and which stay open, before max_len.

    tokens (2 beam,): the last tokens of the continuations, best first. Returns finished (2 beam,):
    boolean; still_open (beam,): the places of those that stay open, best first. There are enough of
    them.
    """
    # BEGIN SOLUTION
    ended = tokens == eos
    finished = ended & (np.arange(len(tokens)) < beam)
    still_open = np.flatnonzero(~ended)[:beam]
    return finished, still_open
    # END SOLUTION


# %%
def is_over(best_score, open_log_p, max_len, alpha):
    """Tell whether no open beginning can win any more, True or False.

    best_score: of the finished sentences. open_log_p: the highest log P of the open beginnings. The
    check calls it with finite numbers; your search may have -inf as long as no sentence is
    finished.
    """
    # BEGIN SOLUTION
    return best_score >= open_log_p / length_penalty(max_len, alpha)
    # END SOLUTION


# %%
def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    """Return the sentence of the highest score that a beam search finds.

    model: a function, tokens (K,) and state (K, M) -> log-probabilities (K, V) and state (K, M),
    for any number K of rows. state (beam, M): that of the start, all rows equal. bos, eos, pad:
    ids. beam: K, how many stay open. Returns ids (max_len,), integers, and the score.
    """
    # BEGIN SOLUTION
    paths = np.full((beam, 1), bos)
    log_p = np.full(beam, -np.inf)
    log_p[0] = 0
    best_ids, best_score = np.full(max_len, pad), -np.inf
    for length in range(1, max_len + 1):
        next_log_p, state = model(paths[:, -1], state)
        values, parents, tokens = best_continuations(log_p, next_log_p, 2 * beam)
        longer = np.concatenate([paths[parents], tokens[:, None]], 1)
        finished, still_open = finished_and_open(tokens, eos, beam)
        if length == max_len:
            finished[still_open] = True
        for i in np.flatnonzero(finished):
            score = values[i] / length_penalty(length, alpha)
            if score > best_score:
                best_ids, best_score = np.full(max_len, pad), score
                best_ids[:length] = longer[i, 1:]
        if is_over(best_score, values[still_open[0]], max_len, alpha):
            break
        paths, log_p = longer[still_open], values[still_open]
        state = state[parents[still_open]]
    return best_ids, best_score
    # END SOLUTION
