# id: greedy | points: 9 | minutes: 30 | level: 2 | needs: attention | notebook: 08

# %% [markdown]
# # Greedy decoding, always the most probable next token
#
# A trained model cannot write a sentence. All it does is read one, and say for every position which token comes next.
# So a sentence is written token by token (section 3.1 of the paper: the model "is auto-regressive"): give it `<bos>`,
# the sign that a sentence begins, take a token from what it says of the next one, put that token behind `<bos>`, and
# ask again. The sentence ends when the token is `<eos>`.
#
# Greedy decoding takes the most probable token each time:
#
# $$y_t = \arg\max_v\; P(v \mid y_1, \dots, y_{t-1}, X), \qquad \log P(Y \mid X) = \sum_t \log P(y_t \mid y_1, \dots,
#   y_{t-1}, X)$$
#
# A *model* is a function here. It reads ids $(B, t)$, integers, one row a sentence, each row beginning with `<bos>`. It
# returns log-probabilities $(B, t, V)$: entry `[b, i]` tells of the token that *follows* position $i$ of sentence $b$.
# Nothing that comes after position $i$ has any influence on it, as the causal mask sees to. This one is a toy, in which
# a token depends on the one before it alone:


# %%
import numpy as np

PAD, BOS, EOS = 0, 1, 2  # of the toy; then 3 is "the", 4 "cat", 5 "sleeps"
FOLLOWS = np.full((6, 6), 0.02)
FOLLOWS[[0, 1, 2, 3, 4, 5], [2, 3, 2, 4, 5, 2]] = 0.9


def toy_model(ids):
    """The log-probabilities of what follows each token: ids (B, t) -> (B, t, V)."""
    return np.log(FOLLOWS)[ids]


# %% [markdown]
# `np.exp(toy_model(np.array([[BOS, 3]])))[0, -1]` tells of the token behind "the": 0.9 for "cat", 0.02 for each other.
#
# One sentence alone is a short loop. It is slow for two reasons: sentences are written one after the other, although
# the model can read them all at once, and the largest entry is looked for by hand.
# `greedy_slowly(toy_model, BOS, EOS, 8)` writes "the cat sleeps" and `<eos>`.


# %%
def greedy_slowly(model, bos, eos, max_len):
    """Write one sentence: a list of its tokens, and its log-probability."""
    tokens, total = [], 0.0
    for _ in range(max_len):
        log_probs = model(np.array([[bos] + tokens]))[0]  # (t, V), a row for each position
        token, best = None, -np.inf
        for v in range(log_probs.shape[1]):
            if log_probs[len(tokens), v] > best:
                token, best = v, log_probs[len(tokens), v]
        tokens.append(token)
        total += best
        if token == eos:
            break
    return tokens, total


# %% [markdown]
# ## Your turn
#
# Write a whole batch of $B$ sentences side by side. The new difficulty: they end at different times. The array that the
# model reads has no holes, so a sentence that has ended stays in it and grows by `pad` while others are written. These
# are the rules:
#
# - `max_len` counts the written tokens, `<eos>` too and `<bos>` not. A sentence that has no `<eos>` by then is cut off.
# - The model must be given all $B$ sentences each time, as whole beginnings with `<bos>` in front, and with `pad` in
#   every place after an `<eos>`.
# - `ids` is $(B, max\_len)$, integers: the written tokens without `<bos>`, with `<eos>` where the sentence has one, and
#   `pad` in every place after it.
# - `log_p` is $(B,)$: the sum over the written tokens, that of `<eos>` included. What follows `<eos>` costs nothing.
# - Once every sentence has ended, the model is not asked again. It is slow.
#
# The largest entry of a row (V,) is there only once, and no sentence has `pad` or `bos` as its most probable token.


# %%
def greedy(model, n_sentences, bos, eos, pad, max_len):
    """Return what the model writes when the most probable token is taken each time.

    model: a function, ids (B, t) -> log-probabilities (B, t, V). n_sentences is B. bos, eos, pad: three different
    ids, not always those of the toy. Returns ids (B, max_len), integers, and log_p (B,).
    """
    # BEGIN SOLUTION
    prefix = np.full((n_sentences, 1), bos)
    ids = np.full((n_sentences, max_len), pad)
    log_p = np.zeros(n_sentences)
    ended = np.zeros(n_sentences, bool)
    for t in range(max_len):
        if ended.all():
            break
        following = model(prefix)[:, -1]
        tokens = following.argmax(-1)
        tokens = np.where(ended, pad, tokens)
        log_p += np.where(ended, 0.0, following.max(-1))
        ended = ended | (tokens == eos)
        ids[:, t] = tokens
        prefix = np.concatenate([prefix, tokens[:, None]], 1)
    return ids, log_p
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"B": (3, 6), "T": (6, 9), "V": (7, 12)}
UNCHANGED = 0  # the student gets no array


def inputs(draw, B, T, V):
    """Draw a model, the ids that mean something to it, and where its sentences end."""
    V = max(V, 5)
    bos, eos, pad = draw.rng.permutation(np.arange(1, V))[:3]
    lengths = draw.rng.integers(min(2, T), max(T - 1, 2), B)  # with <eos>
    longest, shortest = draw.rng.permutation(max(B, 2))[:2] % B
    lengths[shortest] = draw.rng.integers(min(2, T), max(T - 3, 3))
    lengths[longest] = max(T - 1, 1)
    lengths = np.minimum(lengths, T)
    place = np.arange(T)
    p_end = draw.rng.uniform(0.01, 0.06, (B, T))
    p_end[place == lengths[:, None] - 1] = draw.rng.uniform(0.55, 0.85, B)
    return {
        "by_last": draw.normal(V, V),
        "by_last_but_one": draw.normal(V, V),
        "by_place": draw.normal(B, T, V),
        "p_end": p_end,
        "bos": int(bos),
        "eos": int(eos),
        "pad": int(pad),
        "max_len": T,
        "shorter": max(T - 2, 1),
    }


def make_model(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, read):
    """Return a model; what it is given it appends to `read`."""
    n_sentences, longest, _ = by_place.shape

    def model(ids):
        ids = np.asarray(ids)
        if ids.ndim != 2 or len(ids) != n_sentences or ids.dtype.kind not in "iu":
            raise ValueError(
                f"the model got {ids.dtype.name} of shape {ids.shape}: it reads integers ({n_sentences}, t)"
            )
        length = ids.shape[1]
        if not 1 <= length <= longest:
            raise ValueError(f"the model got {length} positions: with max_len {longest} it is given 1 to {longest}")
        read.append(ids.copy())
        before = np.concatenate([ids[:, :1], ids[:, :-1]], 1)
        scores = by_last[ids] + by_last_but_one[before] + by_place[:, :length]  # (B, t, V)
        scores[..., [0, pad, bos]] = -20
        scores[..., eos] = -np.inf
        scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
        scores += np.log(1 - p_end[:, :length, None])
        scores[..., eos] = np.log(p_end[:, :length])
        return scores

    return model


def whole(result):
    """Return ids and log_p as they came; raise TypeError where ids are not whole numbers."""
    if isinstance(result, tuple | list) and len(result) == 2 and np.asarray(result[0]).dtype.kind == "f":
        raise TypeError("ids came as floats, expected integers")
    return result


def decode(student, by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    model = make_model(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, [])
    return whole(student.greedy(model, len(p_end), bos, eos, pad, max_len))


def last_read(student, by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    read = [np.zeros((len(p_end), 0), int)]
    model = make_model(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, read)
    student.greedy(model, len(p_end), bos, eos, pad, max_len)
    return read[-1]  # (B, t), as it was given: how long it is, is a part of the answer


def cut_off(student, by_last, by_last_but_one, by_place, p_end, bos, eos, pad, shorter):
    model = make_model(by_last, by_last_but_one, by_place[:, :shorter], p_end, bos, eos, pad, [])
    return student.greedy(model, len(p_end), bos, eos, pad, shorter)


CALLS = [
    Call(decode, {"ids": 4, "log_p": 2}),
    Call(last_read, {"the last that the model reads": 1}),
    Call(cut_off, {"ids of cut sentences": 1, "log_p of cut sentences": 1}),
]


def one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    """Write each sentence alone."""
    model = make_model(by_last, by_last_but_one, by_place[:, :max_len], p_end, bos, eos, pad, [])
    ids, log_p = np.full((len(p_end), max_len), pad), np.zeros(len(p_end))
    for b in range(len(p_end)):

        def one_sentence(prefix, b=b):
            return model(np.repeat(prefix, len(p_end), 0))[b : b + 1]

        sentence, log_p[b] = greedy_slowly(one_sentence, bos, eos, max_len)
        ids[b, : len(sentence)] = sentence
    return ids, log_p


def cut_one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, shorter):
    return one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, shorter)


def all_but_the_last_column(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    ids, _ = one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len)
    n_steps = int((ids != pad).sum(1).max())
    return np.concatenate([np.full((len(p_end), 1), bos), ids[:, : n_steps - 1]], 1)


SLOW = {"decode": one_by_one, "last_read": all_but_the_last_column, "cut_off": cut_one_by_one}

PREDICTION = Prediction(
    "Greedy decoding takes the most probable token at every step. Is its sentence the most probable of all sentences?",
    {
        "a": "yes: a product is largest when each of its factors is",
        "b": "not always: a less likely first word can lead to words that are nearly certain",
        "c": "yes, if the model is trained well enough",
    },
    answer="b",
    because="The factors are not free: the choice of one token changes the probabilities of all that follow. In "
    "notebook 08 'good' is the most probable first word, but 'how do you do' the most probable sentence. Beam search, "
    "the next exercise, is the answer to that.",
)

MISTAKES = [
    Mistake(
        "goes_on_after_eos",
        "{part} is what comes out when a sentence that has ended is written on as long as another one is not done",
        Edit("tokens = np.where(ended, pad, tokens)", "pass"),
        Edit("np.where(ended, 0.0, following.max(-1))", "following.max(-1)"),
        ask="What do you write into the row of a sentence that ended three steps ago, and what does that cost?",
    ),
    Mistake(
        "padding_costs",
        "log_p of the sentences that end early is too low: it keeps sinking after <eos>",
        Edit("np.where(ended, 0.0, following.max(-1))", "following.max(-1)"),
        ask="The model also says something about what follows <eos>. Is that a part of P(Y)?",
    ),
    Mistake(
        "forgets_who_ended",
        "{part} is what comes out when behind <eos> comes one padding, and behind that the sentence is written on",
        Edit("ended = ended | (tokens == eos)", "ended = tokens == eos"),
        ask="Two steps after its <eos>: how does your loop know that this sentence has ended?",
    ),
    Mistake(
        "eos_of_the_toy",
        "{part} is what comes out when a sentence ends with the toy's <eos>, whatever the argument says",
        Edit("(tokens == eos)", "(tokens == EOS)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "pad_of_the_toy",
        "{part} is what comes out when padding is the toy's, whatever the argument says",
        Edit("np.where(ended, pad, tokens)", "np.where(ended, PAD, tokens)"),
        Edit("ids = np.full((n_sentences, max_len), pad)", "ids = np.full((n_sentences, max_len), PAD)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "first_position",
        "{part} is what comes out when every token is the one that the model expects behind <bos>",
        Edit("model(prefix)[:, -1]", "model(prefix)[:, 0]"),
        ask="The model answers for every position of what it reads. Which of its answers is about the token to come?",
    ),
    Mistake(
        "no_bos",
        "{part} is what comes out when the first tokens are what the model expects behind padding",
        Edit("prefix = np.full((n_sentences, 1), bos)", "prefix = np.full((n_sentences, 1), pad)"),
        ask="What was in front of the first word whenever the model was trained?",
    ),
    Mistake(
        "one_end_ends_all",
        "{part} is what comes out when no sentence is written on as soon as one has its <eos>",
        Edit("if ended.all():", "if ended.any():"),
        ask="When may the loop end: when some sentence is done, or when none is left?",
    ),
    Mistake(
        "asks_too_often",
        "every sentence has ended, and the model is asked again all the same",
        Edit("if ended.all():", "if False:"),
        ask="How often should the model be asked when the longest sentence has three tokens and max_len is 100?",
    ),
    Mistake(
        "eos_left_out",
        "<eos> is nowhere in ids",
        Edit("ids[:, t] = tokens", "ids[:, t] = np.where(tokens == eos, pad, tokens)"),
        ask="Look at the rules again: how can one tell a sentence that ended from one that was cut off?",
    ),
    Mistake(
        "eos_costs_nothing",
        "log_p lacks what <eos> costs",
        Edit("np.where(ended, 0.0, following.max(-1))", "np.where(ended | (tokens == eos), 0.0, following.max(-1))"),
        ask="Is stopping here, and not continuing, something that the model gives a probability to?",
    ),
    Mistake(
        "one_token_short",
        "{part} is what comes out when the last token is missing where a sentence is cut off",
        Edit("for t in range(max_len):", "for t in range(max_len - 1):"),
        ask="With max_len = 1, how many tokens is a sentence allowed, and how often does your loop run?",
    ),
    Mistake(
        "begins_with_bos",
        "{part} begins with <bos>, and every token stands one place too late",
        Edit("return ids, log_p", "return np.concatenate([np.full((n_sentences, 1), bos), ids[:, :-1]], 1), log_p"),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "last_token_alone",
        "{part} is what comes out when the model reads the last token alone, without those before it",
        Edit("following = model(prefix)[:, -1]", "following = model(prefix[:, -1:])[:, -1]"),
        ask="Two beginnings differ, and end with the same token. Could your model continue in two ways?",
    ),
    Mistake(
        "probabilities_added",
        "{part} is a sum of probabilities, not of their logarithms",
        Edit("np.where(ended, 0.0, following.max(-1))", "np.where(ended, 0.0, np.exp(following.max(-1)))"),
        ask="May log_p be above 0? Look at yours.",
    ),
    Mistake(
        "mean_log_p",
        "log_p is a mean over the tokens of a sentence, not their sum",
        Edit("return ids, log_p", "return ids, log_p / (ids != pad).sum(1)"),
        ask="Of two independent tokens with probability 1/2 each: what is the probability of both, and its logarithm?",
    ),
    Mistake(
        "probability_of_the_sentence",
        "log_p is the probability of each sentence, not its logarithm",
        Edit("return ids, log_p", "return ids, np.exp(log_p)"),
        ask="May log_p be above 0? Look at yours.",
    ),
    Mistake(
        "last_token_costs",
        "log_p is that of the last token alone",
        Edit("log_p += np.where(ended, 0.0, following.max(-1))", "log_p = np.where(ended, log_p, following.max(-1))"),
        ask="What becomes of log_p of the first tokens when the next one is written?",
    ),
    Mistake(
        "filled_with_eos",
        "{part} is what comes out when <eos> is in every place after the first <eos>",
        Edit("np.where(ended, pad, tokens)", "np.where(ended, eos, tokens)"),
        ask="What do the rules want in the places after <eos>?",
    ),
    Mistake(
        "bos_in_front",
        "{part} has <bos> in front, and one column too many",
        Edit("return ids, log_p", "return np.concatenate([np.full((n_sentences, 1), bos), ids], 1), log_p"),
        ask="Which tokens has the model written, and which one did you give it?",
    ),
    Mistake(
        "as_long_as_the_longest",
        "{part} has fewer columns than max_len, here as many as the longest sentence has tokens",
        Edit("return ids, log_p", "return ids[:, : prefix.shape[1] - 1], log_p"),
        ask="Which shape does the docstring name, and how many tokens may a sentence have?",
    ),
]

HINTS = [
    "Begin with a column of <bos>, one for each sentence, and let the array grow by a column a step. A boolean for "
    "each sentence, whether it has ended, is all else that you must remember.",
    "Of what the model returns, only the last position matters: (B, V). Take the most probable token of each row; "
    "then, in the rows of sentences that had ended before this step, replace it, and add nothing to their log_p.",
    "The order within a step: leave the loop if all have ended; ask; choose; in ended rows take pad; add to log_p "
    "where not ended; only now note who has just ended (who had ended stays so); write the column into both arrays.",
]

ALTERNATIVES = [
    """
def greedy(model, n_sentences, bos, eos, pad, max_len):
    lists, totals = [[] for _ in range(n_sentences)], [0.0] * n_sentences
    while len(max(lists, key=len)) < max_len and not all(eos in row for row in lists):
        width = len(max(lists, key=len))
        rows = np.array([[bos] + row + [pad] * (width - len(row)) for row in lists])
        said = model(rows)
        for b, row in enumerate(lists):
            if eos not in row:
                token = int(np.argmax(said[b, len(row)]))
                totals[b] += said[b, len(row), token]
                row.append(token)
    return np.array([row + [pad] * (max_len - len(row)) for row in lists]), np.array(totals)
""",
    """
def greedy(model, n_sentences, bos, eos, pad, max_len):
    rows = np.arange(n_sentences)
    written = np.full((n_sentences, max_len + 1), pad, dtype=np.int32)
    written[:, 0] = bos
    costs = np.zeros((n_sentences, max_len))
    alive = rows
    for t in range(max_len):
        last = model(written[:, : t + 1])[:, t, :]
        best = np.argsort(last, axis=1)[:, -1]
        written[alive, t + 1] = best[alive]
        costs[alive, t] = last[alive, best[alive]]
        alive = alive[best[alive] != eos]
        if len(alive) == 0:
            break
    return written[:, 1:], costs.sum(1)
""",
    """
def greedy(model, n_sentences, bos, eos, pad, max_len):
    prefix = np.full((n_sentences, 1), bos)
    log_p = np.zeros(n_sentences)
    for t in range(max_len):
        done = (prefix == eos).any(1)
        if done.all():
            break
        last = model(prefix)[:, -1]
        log_p = log_p + ~done * last.max(1)
        prefix = np.hstack([prefix, (last.argmax(1) * ~done + pad * done)[:, None]])
    ids = np.full((n_sentences, max_len), pad)
    ids[:, : prefix.shape[1] - 1] = prefix[:, 1:]
    return ids, log_p
""",
]
