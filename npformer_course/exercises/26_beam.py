# id: beam | points: 16 | minutes: 75 | level: 3 | needs: greedy | notebook: 08

# %% [markdown]
# # Beam search: a few roads at once
#
# Greedy decoding never goes back. If the most probable first word leads nowhere, that is where the sentence ends up. To
# try all sentences is out of the question: with 37,000 tokens there are about $10^{45}$ sentences of ten.
#
# Beam search keeps the $K$ best *beginnings* (the paper has $K = 4$, section 6.1). At each step every one of them is
# continued by every token, which makes $K V$ longer beginnings, and of these the best $K$ stay. What is compared is
# the whole way so far, $\log P(y_1, \dots, y_t \mid X)$: the sum over the tokens, not the last token alone.
#
# **Length.** Every token makes $\log P$ smaller, so the most probable sentence tends to be a short one. The paper takes
# the correction of Wu et al. 2016 (equation 14), with $\alpha = 0.6$:
#
# $$s(Y) = \frac{\log P(Y \mid X)}{lp(|Y|)}, \qquad lp(n) = \Big(\frac{5 + n}{6}\Big)^{\alpha}$$
#
# $|Y|$ counts the tokens that were written, `<eos>` too and `<bos>` not. The score $s$ is a verdict on *finished*
# sentences. It has no part in the race of the beginnings, which all have the same length anyway, and whose $\log P$
# keeps being added to.
#
# **The model.** Here it reads one token at a time and remembers the rest: `model(tokens, state)`. `tokens` $(K,)$ are
# the last tokens of $K$ beginnings (first of all `<bos>`), `state` $(K, M)$ is what the model has noted down of each.
# It returns the log-probabilities $(K, V)$ of what follows, and the new state $(K, M)$. In a Transformer the state is
# made of keys and values, the subject of the next exercise. What matters now: *row $k$ of the state belongs to
# beginning $k$.*
#
# Here is the search in plain lists, each beginning with a state of its own. It is right, and slow: the model reads one
# beginning at a time, everything is sorted, and the search goes on to the last even if the winner is known.

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
# Five functions, the last made of the others, each checked alone. The rules of the search, the same as above:
#
# - All continuations of all open beginnings are ranked by $\log P$, best first. Those among the *first $K$* that end in
#   `<eos>` are finished. The first $K$ *without* `<eos>` (further down, if need be) are the open beginnings of the
#   next step. As each beginning has one continuation by `<eos>`, it is enough to look at the best $2K$.
# - At the start there is one beginning, `<bos>`. You are given $K$ equal rows of state. Either you start with one row,
#   or you give all but one of the $K$ copies a $\log P$ of $-\infty$, so that no sentence is found $K$ times. To the
#   check both are the same. $V$ is at least $2K$, so one beginning has enough continuations.
# - `max_len` counts written tokens. After that many, the open beginnings count as finished as they are.
# - The winner is the finished sentence of the highest score. `ids` are its tokens, without `<bos>`, with `<eos>` if it
#   has one, `pad` in every place after.
#
# And what makes it fast:
#
# - The model reads all open beginnings at once. So when beginning $k$ of the next step continues beginning $p$ of this
#   one, its state is row $p$ of the state that the model has just returned.
# - After each step, ask whether any open beginning can still win. Its $\log P$ can only sink, and it will never be
#   divided by more than $lp(max\_len)$. So stop when the best finished score is at least the highest open $\log P$
#   divided by $lp(max\_len)$. Which tokens the model is given at each step is checked (in any order of the rows), and
#   so is how often it is asked.
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

    log_p (K,): of the beginnings, -inf for one that does not count. next_log_p (K, V): of each token behind each.
    Returns values (n,): the log P of the longer beginnings; parents (n,): which of the K beginnings each one continues;
    tokens (n,): by which token. n is at most the number of continuations that are not -inf.
    """
    # BEGIN SOLUTION
    totals = log_p[:, None] + next_log_p
    order = np.argsort(-totals, axis=None)[:n]
    parents, tokens = np.divmod(order, totals.shape[1])
    return totals[parents, tokens], parents, tokens
    # END SOLUTION


# %%
def finished_and_open(tokens, eos, beam):
    """Return which of the best continuations are finished, and which stay open, as the rules say; before max_len.

    tokens (2 beam,): the last tokens of the continuations, best first. Returns finished (2 beam,): boolean; still_open
    (beam,): the places of those that stay open, best first. There are enough of them.
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

    best_score: of the finished sentences. open_log_p: the highest log P of the open beginnings. The check calls it with
    finite numbers; your search may have -inf as long as no sentence is finished.
    """
    # BEGIN SOLUTION
    return best_score >= open_log_p / length_penalty(max_len, alpha)
    # END SOLUTION


# %%
def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    """Return the sentence of the highest score that a beam search finds: ids (max_len,), integers, and its score.

    model: a function, tokens (K,) and state (K, M) -> log-probabilities (K, V) and state (K, M), for any number K of
    rows. state (beam, M): that of the start, all rows equal. bos, eos, pad: ids. beam: K, how many stay open.
    The result has to be a tuple here, not a list.
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


# %% tags=["teacher"]
import inspect
from functools import cache

from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"B": (10, 14), "N": (2, 4), "T": (7, 10), "V": (9, 12)}
M = 5
LOST = -12.0  # in place of how readily a sentence ends: the model has no idea how to continue, and does not end
SURE = -11.0  # the same, but the model is sure how to continue
FLAT = -1.5  # a sentence may end, and all ways to continue are nearly as likely
NOT_ASKED = -1  # in place of a token that the model was not given
TRIES = 30  # at a sentence that shows a mistake
TOP_ENDS = Edit("if is_over(best_score, values[still_open[0]], max_len, alpha):", "if tokens[0] == eos:")
ENDED_ARE_OPEN = Edit("still_open = np.flatnonzero(~ended)[:beam]", "still_open = np.arange(beam)")
ENDS_OUTSIDE = Edit("finished = ended & (np.arange(len(tokens)) < beam)", "finished = ended.copy()")
PLACES_LOST = (
    Edit("still_open = np.flatnonzero(~ended)[:beam]", "still_open = np.flatnonzero(~ended[:beam])"),
    Edit("if is_over(best_score,", "if not len(still_open) or is_over(best_score,"),
)
BOS_COUNTED = Edit(
    "score = values[i] / length_penalty(length, alpha)", "score = values[i] / length_penalty(length + 1, alpha)"
)
RARELY_SHOWN = (  # with how readily the sentence ends, at first and later
    ((ENDS_OUTSIDE,), [(-4, 0)], LOST),
    ((TOP_ENDS,), [(-1, 1)], SURE),
    ((ENDED_ARE_OPEN,), [(-1, 1)], SURE),
    (PLACES_LOST, [(FLAT, FLAT)] * 2, SURE),
    ((BOS_COUNTED,), [(FLAT, FLAT)] * 2, SURE),
)


def inputs(draw, B, N, T, V):
    """Draw a model that notes down all it reads, and B sentences: their first states, and how readily they end."""
    V = max(V, 5, N + 3)
    bos, eos = draw.rng.permutation(np.arange(1, V))[:2]
    ending = np.sort(draw.rng.uniform(-3.0, 0.0, (B, T)), axis=1)
    endless = draw.rng.integers(B)
    ending[endless] = -9  # no end before max_len
    log_p, counting, columns = draw.rng.uniform(-2, -1, N), N - (N > 2), 800  # a partition of fewer may sort them
    log_p[counting:] = -np.inf
    inputs = {
        "start": draw.normal(B, M),
        "to_itself": draw.normal(M, M),
        "embedding": 1.5 * draw.normal(V, M),
        "to_scores": draw.normal(M, V),
        "to_end": draw.normal(M),
        "ending": ending,
        "bos": int(bos),
        "eos": int(eos),
        "max_len": T,
        "beam": N,
        "alpha": float(draw.rng.uniform(0.9, 1.8)),
        "little": 1.0,  # 6 ** 1 is 6 * 1: the call of the penalty distinguishes these
        "lengths": draw.rng.permutation(30)[: B + 1] + 1,
        "log_p": log_p,
        "next_log_p": -np.abs(2 * draw.normal(N, columns)) - 0.1,
        "n": counting * columns // 2,
    }
    for b, (edits, at_first, later) in enumerate(RARELY_SHOWN, int(endless) - len(RARELY_SHOWN)):
        for _ in range(TRIES):
            inputs["start"][b] = draw.normal(M)
            first = [draw.rng.uniform(*bounds) for bounds in at_first]
            inputs["ending"][b] = first + [later] * (T - len(first))
            if shows(inputs, b, edits):
                break
    words = [token for token in range(1, V) if token not in (bos, eos)]
    last_tokens = draw.rng.choice(words, 2 * N)
    last_tokens[[draw.rng.integers(N), N]] = eos  # one among the first N, and one right after them
    open_log_ps, penalty = draw.rng.uniform(-9, -5, 8), length_penalty(T, inputs["alpha"])
    best_scores = open_log_ps / penalty + np.array([0.2, -0.2, 0.5, -0.5, 0.0, 0.0, 0.0, 0.0])
    best_scores[4] = 0.8 * open_log_ps[4] / T ** inputs["alpha"]  # between the bounds of two wrong penalties
    best_scores[5] = open_log_ps[5] * (1 + penalty) / 2  # between log P and its product with the penalty
    best_scores[6] = open_log_ps[6] * (1 / penalty + 6 / (5 + T) / inputs["alpha"]) / 2  # alpha is no factor
    best_scores[7] = open_log_ps[7] * (1 + 6 ** inputs["alpha"] / (5 + T)) / 2  # the power is not of 6 alone
    return inputs | {"last_tokens": last_tokens, "best_scores": best_scores, "open_log_ps": open_log_ps}


@cache
def edited_search(edits):
    """Return the search of the key with edits in it."""
    names, source = {**globals()}, "\n".join(map(inspect.getsource, (finished_and_open, beam_search)))
    for edit in edits:
        source = edit.apply(source)
    exec(source, names)
    return names["beam_search"]


def shows(inputs, b, edits):
    """Tell whether edits of the search make another sentence of sentence b."""
    weights = [inputs[name] for name in ("to_itself", "embedding", "to_scores", "to_end")]
    how = [inputs[name] for name in ("bos", "eos", "max_len", "beam", "alpha")]
    (ids, score), (other_ids, other) = (
        search_each(find, inputs["start"][[b]], *weights, inputs["ending"][[b]], *how)[0][0]
        for find in (beam_search, edited_search(edits))
    )
    return not np.array_equal(ids, other_ids) and abs(score - other) > 1e-3 * abs(score)


def make_model(to_itself, embedding, to_scores, to_end, ending, bos, eos, queries, most):
    """Return the model of one sentence; its tokens go to `queries` at each call, of which it allows `most`."""
    width = embedding.shape[1]
    sure = np.select([np.isin(ending, (LOST, FLAT)), ending == SURE], [0.2, 8.0], 1.3)

    def model(tokens, state):
        tokens, state = np.asarray(tokens), np.asarray(state)
        if tokens.ndim != 1 or tokens.dtype.kind not in "iu" or state.shape != (len(tokens), width + 1):
            raise ValueError(
                f"the model got tokens {tokens.dtype.name} {tokens.shape} and state {state.shape}: "
                f"it reads integers (K,) and a state (K, {width + 1})"
            )
        if len(queries) == most:
            raise ValueError(f"the model was asked more than {most} times, which is max_len")
        queries.append(np.unique(tokens))
        hidden = np.tanh(state[:, 1:] @ to_itself + embedding[tokens])  # (K, M)
        n_read = np.minimum(state[:, 0].astype(int), len(ending) - 1)
        now = ending[n_read]
        scores = sure[n_read][:, None] * (hidden @ to_scores)  # (K, V)
        scores[:, [0, bos]] = -30
        scores[:, eos] = -np.inf
        scores -= np.log(np.exp(scores).sum(1, keepdims=True))
        end = 1 / (1 + np.exp(-now - 0.7 * hidden @ to_end))  # (K,)
        scores += np.log(1 - end)[:, None]
        scores[:, eos] = np.log(end)
        return scores, np.concatenate([state[:, :1] + 1, hidden], 1)

    return model


def search_each(
    find, start, to_itself, embedding, to_scores, to_end, ending, bos, eos, max_len, beam, alpha, most=None
):
    """Return what `find` returns for each sentence, and the tokens that the model was given at each step."""
    results, model_inputs = [], np.full((len(start), most or max_len, beam), NOT_ASKED)
    for b in range(len(start)):
        queries = []
        model = make_model(to_itself, embedding, to_scores, to_end, ending[b], bos, eos, queries, most or max_len)
        state = np.repeat(np.concatenate([[0], start[b]])[None], beam, 0)
        results.append(find(model, state, bos, eos, 0, max_len, beam, alpha))
        for t, tokens in enumerate(queries):
            model_inputs[b, t, : len(tokens)] = tokens[:beam]
    return results, model_inputs


def side_by_side(results):
    """Return the ids of all sentences and their scores; what is no such pair is returned as it is."""
    for one in results:
        if not isinstance(one, tuple) or len(one) != 2:
            return one
    return [ids for ids, _ in results], [score for _, score in results]


def penalty(student, lengths, alpha):
    return student.length_penalty(lengths, alpha)


def continuations(student, log_p, next_log_p, n):
    return student.best_continuations(log_p, next_log_p, n)


def ends(student, last_tokens, eos, beam):
    return student.finished_and_open(last_tokens, eos, beam)


def over(student, best_scores, open_log_ps, max_len, alpha):
    pairs = [(float(score), float(log_p), max_len) for score, log_p in zip(best_scores, open_log_ps, strict=True)]
    pairs.append((-5.0, -5.0, 1))  # the penalty of one token is 1 however it is computed: exactly the bound
    return [student.is_over(score, log_p, length, alpha) for score, log_p, length in pairs]


def search(student, start, to_itself, embedding, to_scores, to_end, ending, bos, eos, max_len, beam, alpha):
    weights = (to_itself, embedding, to_scores, to_end)
    return side_by_side(
        search_each(student.beam_search, start, *weights, ending, bos, eos, max_len, beam, alpha)[0],
    )


def tokens_given(student, start, to_itself, embedding, to_scores, to_end, ending, bos, eos, max_len, beam, little):
    weights = (to_itself, embedding, to_scores, to_end)
    return search_each(student.beam_search, start, *weights, ending, bos, eos, max_len, beam, little)[1]


CALLS = [
    Call(penalty, {"penalty": 1}),
    Call(continuations, {"values": 1, "parents": 1, "tokens": 1}),
    Call(ends, {"finished": 1, "still open": 1}),
    Call(over, {"over": 1}),
    Call(search, {"ids": 4, "score": 2}),
    Call(tokens_given, {"what the model is given": 2}),
]
AXES = {
    "over": (
        "a little above the bound",
        "a little below it",
        "above it",
        "below it",
        "far below it",
        "below log P itself",
        "near it",
        "near log P",
        "exactly at it",
    ),
    "finished": (),
    "what the model is given": (),
}


def places_of_continuations(last_tokens, beam):
    """Return the place of each of the best continuations in words."""
    return [f"at place {i}, {'among' if i < beam else 'after'} the first K" for i in range(len(last_tokens))]


def steps_of_model(start, max_len, beam):
    """Return the step of each token that the model is given."""
    return [f"at step {t} of sentence {b}" for b in range(len(start)) for t in range(max_len) for _ in range(beam)]


WHERE = {"finished": places_of_continuations, "what the model is given": steps_of_model}


def search_slowly(start, to_itself, embedding, to_scores, to_end, ending, bos, eos, max_len, beam, alpha):
    weights = (to_itself, embedding, to_scores, to_end)
    results, _ = search_each(
        beam_search_slowly, start, *weights, ending, bos, eos, max_len, beam, alpha, most=max_len * beam + 1
    )
    return side_by_side(results)


def continuations_slowly(log_p, next_log_p, n):
    entries = [(log_p[k] + next_log_p[k, v], k, v) for k in range(len(log_p)) for v in range(next_log_p.shape[1])]
    return tuple(map(np.array, zip(*sorted(entries, reverse=True)[:n], strict=True)))


SLOW = {"search": search_slowly, "continuations": continuations_slowly}
FILL_VALUES = {"what the model is given": NOT_ASKED}

PREDICTION = Prediction(
    "With K = 4, a search has finished a sentence with log P = -3.0 and |Y| = 4. The best open beginning has "
    "log P = -3.2. alpha is 0.6, max_len is 20. May the search stop?",
    {
        "a": "yes: log P can only sink, so -3.2 can never get back above -3.0",
        "b": "no: as a longer sentence, the open one is divided by more, and may still get the higher score",
        "c": "yes: the first sentence to end is the best, for the beam is sorted",
    },
    answer="b",
    because="The finished one has the score -3.0 / lp(4) = -2.35. If the open one continued with almost certain "
    "tokens, it could reach -3.2 / lp(20) = -1.36. With alpha = 0 the first answer would be right.",
)

MISTAKES = [
    Mistake(
        "stops_when_the_top_ends",
        "{part} is what comes out when the search is over as soon as the most probable continuation is <eos>",
        TOP_ENDS,
        ask="Could an open beginning, divided by the penalty of a longer sentence, still get the higher score?",
    ),
    Mistake(
        "penalty_while_running",
        "{part} is what comes out when the log P of the open beginnings is divided by the penalty at every step, "
        "again and again",
        Edit("values[still_open]\n", "values[still_open] / length_penalty(length, alpha)\n"),
        ask="After three steps, what is the log P of a beginning a sum of, and has any of it been divided?",
    ),
    Mistake(
        "state_stays",
        "{part} is what comes out when the beginnings change places, and the rows of the state do not",
        Edit("state = state[parents[still_open]]", "state = state[: len(still_open)]"),
        ask="The two best continuations may both continue beginning 2. What has the model noted down of them, in which "
        "row?",
    ),
    Mistake(
        "tokens_stay",
        "{part} is what comes out when the beginnings change places, and the tokens written before stay in their rows",
        Edit(
            "        if length == max_len:\n",
            "        longer[still_open] = np.append(paths, tokens[still_open, None], 1)\n"
            "        if length == max_len:\n",
        ),
        ask="The two best continuations may both continue beginning 2. Which tokens stand in front of theirs, in which "
        "row?",
    ),
    Mistake(
        "a_beam_of_copies",
        "{part} is what comes out when all open beginnings are one and the same from the first step on, as in "
        "greedy decoding",
        Edit("log_p = np.full(beam, -np.inf)", "log_p = np.zeros(beam)"),
        ask="You start with K equal rows. What keeps the first step from finding the same token K times?",
    ),
    Mistake(
        "no_penalty",
        "{part} is what comes out when log P is compared as it is, not divided by the penalty",
        Edit("score = values[i] / length_penalty(length, alpha)", "score = values[i]"),
        Edit("open_log_p / length_penalty(max_len, alpha)", "open_log_p"),
        ask="Where are sentences of different lengths compared, and what becomes of the log P of each before that?",
    ),
    Mistake(
        "power_of_the_length",
        "{part} is what comes out when the penalty is a power of the length itself",
        Edit("((5 + length) / 6) ** alpha\n", "length**alpha\n"),
        ask="Compare 2 tokens with 4: which formula lifts the longer one more, yours or that of Wu et al.?",
    ),
    Mistake(
        "ended_ones_go_on",
        "{part} is what comes out when what ends in <eos> stays in the beam and is continued",
        ENDED_ARE_OPEN,
        ask="What does the model say of the token behind <eos>, and has it ever learned that?",
    ),
    Mistake(
        "the_cut_are_lost",
        "{part} is what comes out when what is open after max_len tokens never counts as finished",
        Edit("if length == max_len:", "if length > max_len:"),
        ask="What does your search return when no sentence ends before max_len?",
    ),
    Mistake(
        "never_stops",
        "the model is asked max_len times, however early the winner is known",
        Edit("if is_over(best_score, values[still_open[0]], max_len, alpha):", "if False:"),
        ask="From when on can no open beginning win any more?",
    ),
    Mistake(
        "over_at_the_first_end",
        "{part} is what comes out when the search is over as soon as any sentence has ended",
        Edit("if is_over(best_score, values[still_open[0]], max_len, alpha):", "if best_score > -np.inf:"),
        ask="One sentence has ended with a bad score. Can an open beginning still get a better one?",
    ),
    Mistake(
        "bound_of_this_length",
        "{part} is what comes out when the search is over as soon as no open beginning would win if it ended here",
        Edit("values[still_open[0]], max_len, alpha):", "values[still_open[0]], length, alpha):"),
        ask="An open beginning may still grow. By what will its log P be divided at most?",
    ),
    Mistake(
        "bos_counted",
        "{part} is what comes out when the length of a sentence counts <bos>",
        BOS_COUNTED,
        ask="What is |Y| of a sentence that ends at the first step?",
    ),
    Mistake(
        "ends_outside_the_first",
        "{part} is what comes out when every continuation by <eos> among the best 2K counts as finished",
        ENDS_OUTSIDE,
        ask="Of the best 2K, which may finish a sentence, and what are the others for?",
    ),
    Mistake(
        "places_lost",
        "{part} is what comes out when each sentence that ends takes a place of the beam with it",
        *PLACES_LOST,
        ask="K continuations are the best, and one of them ends. How many beginnings are open at the next step?",
    ),
    Mistake(
        "log_p_returned",
        "the score is the log P of the sentence, whatever its length",
        Edit(
            "    return best_ids, best_score",
            "    return best_ids, best_score * length_penalty(int((best_ids != pad).sum()), alpha)",
        ),
        ask="Which of the two, log P or s, does the docstring want?",
    ),
    Mistake(
        "eos_left_out",
        "the ids have no <eos>",
        Edit(
            "best_ids[:length] = longer[i, 1:]",
            "best_ids[:length] = np.where(longer[i, 1:] == eos, pad, longer[i, 1:])",
        ),
        ask="With which id does a finished sentence end?",
    ),
    Mistake(
        "the_past_forgotten",
        "{part} is what comes out when continuations are ranked by their last token alone",
        Edit("totals = log_p[:, None] + next_log_p", "totals = next_log_p + np.where(log_p < -1e9, log_p, 0)[:, None]"),
        ask="The probability of a beginning is a product. Which of its factors does your ranking look at?",
    ),
    Mistake(
        "penalty_not_1_for_one_token",
        "{part} is what comes out with a penalty of 6 ** alpha for a sentence of one token",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length) ** alpha\n"),
        ask="What is lp(1) by the formula, and what by your code?",
    ),
    Mistake(
        "log_p_unused",
        "{part} is what comes out when the log P of the beginnings is not used",
        Edit("totals = log_p[:, None] + next_log_p", "totals = next_log_p"),
        ask="The probability of a beginning is a product. Which of its factors does your ranking look at?",
    ),
    Mistake(
        "worst_first",
        "{part} is what comes out when the least probable continuations stand first",
        Edit("np.argsort(-totals, axis=None)", "np.argsort(totals, axis=None)"),
        ask="In which order does argsort sort, and which continuation should be the first?",
    ),
    Mistake(
        "best_last",
        "{part} is what comes out when the best continuations are found, and the best of them stands last",
        Edit("np.argsort(-totals, axis=None)[:n]", "np.argsort(totals, axis=None)[-n:]"),
        ask="In which order does argsort sort, and which continuation should be the first?",
    ),
    Mistake(
        "end_only_above_the_bound",
        "{part} is what comes out when the search continues if the best score equals the bound",
        Edit("best_score >= open_log_p", "best_score > open_log_p"),
        ask="A sentence that has the score of the bound already: can an open beginning still get a higher one?",
    ),
    Mistake(
        "six_plus_the_length",
        "{part} is what comes out with a penalty of ((6 + n) / 6) ** alpha",
        Edit("((5 + length) / 6) ** alpha\n", "((6 + length) / 6) ** alpha\n"),
        ask="What is lp(1) by the formula, and what by your code?",
    ),
    Mistake(
        "length_divided_alone",
        "in the length penalty only the length is divided by 6",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length / 6) ** alpha\n"),
        ask="What stands above the line of the fraction in the formula, and what in your code?",
    ),
    Mistake(
        "power_of_six",
        "in the length penalty the power belongs to 6 alone",
        Edit("((5 + length) / 6) ** alpha\n", "(5 + length) / 6**alpha\n"),
        ask="Which comes first in Python, the division or the power, and which does the formula do first?",
    ),
    Mistake(
        "alpha_as_a_factor",
        "in the length penalty alpha multiplies (5 + n) / 6",
        Edit("((5 + length) / 6) ** alpha\n", "((5 + length) / 6) * alpha\n"),
        ask="What is the penalty with alpha = 0 by the formula, and what by your code?",
    ),
    Mistake(
        "values_of_the_last_token",
        "{part} is what comes out when the values are the log-probabilities of the last tokens alone",
        Edit("return totals[parents, tokens]", "return next_log_p[parents, tokens]"),
        ask="The order of the values is that of the sums. Of how many tokens is each of them the log P?",
    ),
    Mistake(
        "the_worst_decides",
        "{part} is what comes out when the search is over as soon as the worst open beginning cannot win any more",
        Edit("if is_over(best_score, values[still_open[0]]", "if is_over(best_score, values[still_open[-1]]"),
        ask="Which of the open beginnings has the best chance, and which one do you give to is_over?",
    ),
    Mistake(
        "the_last_end_wins",
        "{part} is what comes out when of all finished sentences the last one is returned",
        Edit("            if score > best_score:", "            if np.isfinite(score):"),
        ask="Two sentences have ended. Which of your lines compares their scores?",
    ),
    Mistake(
        "the_cut_if_none_has_ended",
        "{part} is what comes out when what is open after max_len tokens counts only if no sentence has ended",
        Edit("if length == max_len:", "if length == max_len and best_score == -np.inf:"),
        ask="After max_len tokens, may a sentence that is cut off have a higher score than one with <eos>?",
    ),
    Mistake(
        "bos_in_front",
        "the ids begin with <bos>",
        Edit("    return best_ids, best_score", "    return np.append(bos, best_ids[:-1]), best_score"),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "filled_with_eos",
        "the ids have <eos> in every place after the first <eos>",
        Edit("np.full(max_len, pad), score", "np.full(max_len, eos), score"),
        ask="What do the rules want in the places after <eos>?",
    ),
    *(
        Mistake(
            f"found_and_not_sorted_{n}",
            "{part} is what comes out when the best continuations are found by a partition, and not sorted",
            Edit(
                "np.argsort(-totals, axis=None)[:n]",
                f"np.argpartition({partition}] if n > 20 else np.argsort(-totals, axis=None)[:n]",
            ),
            ask="In which order are the first n entries after a partition? Look up argpartition.",
        )
        for n, partition in enumerate(("-totals, n - 1, axis=None)[:n", "totals, -n, axis=None)[-n:"))
    ),
    Mistake(
        "one_token_less",
        "{part} is what comes out when the length of a sentence does not count its last token",
        Edit(
            "score = values[i] / length_penalty(length, alpha)", "score = values[i] / length_penalty(length - 1, alpha)"
        ),
        ask="What is |Y| of a sentence that ends at the first step?",
    ),
    Mistake(
        "the_cut_undivided",
        "{part} is what comes out when the log P of what is cut off after max_len tokens is not divided",
        Edit(
            "score = values[i] / length_penalty(length, alpha)",
            "score = values[i] / (1 if length == max_len else length_penalty(length, alpha))",
        ),
        ask="What is the score of a sentence without <eos>, by the rules?",
    ),
]

HINTS = [
    "best_continuations: make the table (K, V) of all sums, and treat it as one long row to sort. A position in that "
    "row tells its line and its column by a division by V with a remainder.",
    "Take the 2K best of each step. Two questions for each: does it end in <eos>, and is it among the first K? From "
    "the answers follow two lists: what is finished now, and which K stay open. Paths, log P and state of the next "
    "step are those of the parents, in the order of the second list.",
    "A step, for each length from 1 on: ask the model; best 2K; finish those of the first K with <eos>, at max_len the "
    "open ones too, each time keeping the best score and its tokens; leave the loop if the bound says so; else pick "
    "paths and state by the parents of those that stay open, and add the tokens.",
]

ALTERNATIVES = [
    """
def length_penalty(length, alpha):
    return np.exp(alpha * (np.log(5.0 + length) - np.log(6.0)))


def best_continuations(log_p, next_log_p, n):
    entries = []
    for k in range(len(log_p)):
        for v in range(next_log_p.shape[1]):
            entries.append((-(log_p[k] + next_log_p[k, v]), k, v))
    entries.sort()
    values, parents, tokens = zip(*entries[:n])
    return -np.array(values), np.array(parents), np.array(tokens)


def finished_and_open(tokens, eos, beam):
    finished, still_open = [], []
    for place, token in enumerate(tokens):
        finished.append(token == eos and place < beam)
        if token != eos and len(still_open) < beam:
            still_open.append(place)
    return finished, still_open


def is_over(best_score, open_log_p, max_len, alpha):
    return bool(open_log_p <= best_score * length_penalty(max_len, alpha))


def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    state = state[:1]
    hypotheses, done = [(0.0, [])], []
    while True:
        last = np.array([ids[-1] if ids else bos for _, ids in hypotheses])
        said, state = model(last, state)
        so_far = np.array([total for total, _ in hypotheses])
        values, parents, tokens = best_continuations(so_far, said, min(2 * beam, said.size))
        going, rows = [], []
        for rank, (value, parent, token) in enumerate(zip(values, parents, tokens)):
            ids = hypotheses[parent][1] + [int(token)]
            if token == eos:
                if rank < beam:
                    done.append((value / length_penalty(len(ids), alpha), ids))
            elif len(going) < beam:
                going.append((value, ids))
                rows.append(parent)
        hypotheses, state = going, state[rows]
        if len(hypotheses[0][1]) == max_len:
            done += [(value / length_penalty(max_len, alpha), ids) for value, ids in hypotheses]
            break
        if done and max(done)[0] >= hypotheses[0][0] / length_penalty(max_len, alpha):
            break
    score, ids = max(done)
    return np.array(ids + [pad] * (max_len - len(ids))), score
""",
    """
def length_penalty(length, alpha):
    return (5 + length) ** alpha / 6**alpha


def best_continuations(log_p, next_log_p, n):
    totals = (next_log_p.T + log_p).T.ravel()
    order = np.argpartition(totals, -n)[-n:]
    order = order[np.argsort(totals[order])[::-1]]
    vocab_size = next_log_p.shape[1]
    return totals[order], order // vocab_size, order % vocab_size


def finished_and_open(tokens, eos, beam):
    finished = np.zeros(len(tokens), dtype=bool)
    finished[:beam] = tokens[:beam] == eos
    return finished, np.argsort(tokens == eos, kind="stable")[:beam]


def is_over(best_score, open_log_p, max_len, alpha):
    return not open_log_p / length_penalty(max_len, alpha) > best_score


def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    ids = np.full((beam, max_len), pad)
    last = np.full(beam, bos)
    log_p = np.where(np.arange(beam) == 0, 0.0, -np.inf)
    winners, scores = [np.full(max_len, pad)], [-np.inf]
    for t in range(max_len):
        said, state = model(last, state)
        ends = (log_p + said[:, eos])
        words = said.copy()
        words[:, eos] = -np.inf
        n = min(beam, int(np.isfinite(log_p[:, None] + words).sum()))
        values, parents, tokens = best_continuations(log_p, words, n)
        for k in range(len(ends)):
            rank = ((log_p[:, None] + words) > ends[k]).sum() + (ends > ends[k]).sum()
            if rank < beam and np.isfinite(ends[k]):
                winners.append(ids[k].copy())
                winners[-1][t] = eos
                scores.append(ends[k] / length_penalty(t + 1, alpha))
        ids, last, log_p, state = ids[parents], tokens, values, state[parents]
        ids[:, t] = tokens
        if max(scores) >= log_p.max() / length_penalty(max_len, alpha):
            break
    else:
        winners += list(ids)
        scores += list(log_p / length_penalty(max_len, alpha))
    i = int(np.argmax(scores))
    return winners[i], scores[i]
""",
]
