"""How the answers to beam are checked."""

from typing import NamedTuple

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction
from npformer_course.telling_inputs import draw_until, mistaken_solution

from .exercise import beam_search, beam_search_slowly, length_penalty
from .toy_model import SURE, UNDECIDED, USUAL, ToyModel

M = 5  # features of the model
NEVER = -9  # as log odds of <eos>: a sentence does not end before max_len
SURELY = 9  # as log odds of <eos>: it ends at once
NOT_ASKED = -1  # in place of a token that the model was not given
TRIES = 30  # at a sentence that shows a mistake
N_CONTINUATIONS = 800  # of each beginning; a partition of fewer may happen to sort them


class Steps(NamedTuple):
    """What a sentence is like at some of its steps.

    `ending` is how readily it ends, as the smallest and the largest log odds of <eos>, and
    `contrast` how far apart the scores of its words are.
    """

    ending: tuple[float, float]
    contrast: float


LOST = Steps((-12, -12), UNDECIDED)  # no idea how to continue, and no end
CERTAIN = Steps((-11, -11), SURE)  # no end, and no doubt how to continue
MAY_END = Steps((-1.5, -1.5), UNDECIDED)  # it may end, or continue in many ways

# mistakes that random sentences seldom show, each with the first steps of a sentence that does, and
# with all of its later steps
RARELY_SHOWN = (
    ("ends_outside_the_first", [Steps((-4, 0), USUAL)], LOST),
    ("stops_when_the_top_ends", [Steps((-1, 1), USUAL)], CERTAIN),
    ("ended_ones_go_on", [Steps((-1, 1), USUAL)], CERTAIN),
    ("places_lost", [MAY_END, MAY_END], CERTAIN),
    ("bos_counted", [MAY_END, MAY_END], CERTAIN),
    ("bound_of_this_length", [Steps((-3, -1), USUAL), LOST], CERTAIN),
)


def inputs(draw, B, N, T, V):
    """Draw the weights of the toy model, B sentences, and inputs of the smaller functions."""
    # each of these, one without an end, one of <eos> alone and one that ends at max_len
    B = max(B, len(RARELY_SHOWN) + 3)
    V = max(V, 5, 2 * N + 1)
    eos = draw.whole(0, V - 1)
    bos, pad = draw.rng.permutation(np.delete(np.arange(V), eos))[:2]
    ending = np.sort(draw.rng.uniform(-3.0, 0.0, (B, T)), axis=1)
    endless = int(draw.rng.integers(B))
    ending[endless] = NEVER
    at_once = (endless + 1) % B
    ending[at_once, 0] = SURELY
    at_max_len = (endless + 2) % B
    ending[at_max_len] = NEVER
    ending[at_max_len, -1] = SURELY

    # of beginnings so long that exp of it is 0; a beginning that was never continued has a log P of
    # minus infinity
    log_p = draw.rng.uniform(-802, -801, N)
    n_real = N - (N > 2)
    log_p[: N - n_real] = -np.inf

    drawn = {
        "start": draw.normal(B, M),
        "weights": {
            "to_itself": draw.normal(M, M),
            "embedding": 1.5 * draw.normal(V, M),
            "to_scores": draw.normal(M, V),
            "to_end": draw.normal(M),
            "bos": int(bos),
            "eos": eos,
            "pad": int(pad),
        },
        "ending": ending,
        "contrast": np.full((B, T), USUAL),
        "eos": eos,
        "max_len": T,
        "beam": N,
        "alpha": float(draw.rng.uniform(0.9, 1.8)),
        "little": 1.0,  # 6 ** 1 is 6 * 1: the call of the penalty distinguishes these
        "lengths": draw.rng.permutation(30)[: B + 1] + 1,
        "log_p": log_p,
        "next_log_p": -np.abs(2 * draw.normal(N, N_CONTINUATIONS)) - 0.1,
        "n": n_real * N_CONTINUATIONS // min(N, 2),  # of a single beginning all that there are
    }

    # in the places before the sentence without an end
    place = endless - len(RARELY_SHOWN)
    for mistake, first, later in RARELY_SHOWN:
        draw_telling_sentence(draw, drawn, place, mistake, first, later)
        place += 1

    words = np.delete(np.arange(V), [bos, eos, pad])
    last_tokens = draw.rng.choice(words, 2 * N)
    # <eos> among the first N, more than once where N is above 3, and right after them if enough
    # others are left; where N is above 2, more than N are left
    last_tokens[draw.rng.permutation(N)[: max(N - 2, 1)]] = eos
    if N > 1:
        last_tokens[N] = eos
    drawn["last_tokens"] = last_tokens

    drawn["open_log_ps"] = draw.rng.uniform(-9, -5, 8)
    drawn["best_scores"] = scores_near_the_bound(drawn["open_log_ps"], T, drawn["alpha"])
    return drawn


def draw_telling_sentence(draw, drawn, place, mistake, first, later):
    """Put a sentence at `place` for which a search with this mistake finds another one."""
    max_len = drawn["max_len"]
    steps = [*first, *[later] * max_len][:max_len]
    drawn["contrast"][place] = [step.contrast for step in steps]
    wrong_search = mistaken_solution("beam", mistake).beam_search

    def draw_sentence():
        drawn["start"][place] = draw.normal(M)
        ending = [draw.rng.uniform(*step.ending) for step in first]
        ending += [later.ending[0]] * max_len
        drawn["ending"][place] = ending[:max_len]
        return place

    def shows(place):
        ids, score = search_one(beam_search, drawn, place)
        wrong_ids, wrong_score = search_one(wrong_search, drawn, place)
        differ = abs(score - wrong_score) > 1e-3 * abs(score)
        return differ and not np.array_equal(ids, wrong_ids)

    draw_until(draw_sentence, shows, TRIES)


def search_one(find, drawn, place):
    """Return what `find` returns for the sentence at one place."""
    results, _ = search_each(
        find,
        drawn["start"][[place]],
        drawn["weights"],
        drawn["ending"][[place]],
        drawn["contrast"][[place]],
        drawn["max_len"],
        drawn["beam"],
        drawn["alpha"],
    )
    return results[0]


def scores_near_the_bound(open_log_ps, max_len, alpha):
    """Return a best score for each log P of an open beginning, on both sides of the bound."""
    penalty = length_penalty(max_len, alpha)
    bounds = open_log_ps / penalty
    scores = bounds + np.array([0.2, -0.2, 0.5, -0.5, 0.0, 0.0, 0.0, 0.0])

    # each of these lies between the bound and one that people compute in its place: with a power of
    # the length, with a product, with alpha as a factor, and with a power of the 6 alone
    scores[4] = 0.8 * open_log_ps[4] / max_len**alpha
    scores[5] = open_log_ps[5] * (1 + penalty) / 2
    scores[6] = open_log_ps[6] * (1 / penalty + 6 / (5 + max_len) / alpha) / 2
    scores[7] = open_log_ps[7] * (1 + 6**alpha / (5 + max_len)) / 2
    return scores


def search_each(find, start, weights, ending, contrast, max_len, beam, alpha, most=None):
    """Return what `find` returns for each sentence, and the tokens the model was given each time.

    `most` is how often it may ask the model about one sentence, max_len times by default.
    """
    most = most or max_len
    results = []
    tokens_given = np.full((len(start), most, beam), NOT_ASKED)
    for b in range(len(start)):
        model = ToyModel(weights, ending[b], contrast[b], most)
        state = model.start(start[b], beam)
        bos, eos, pad = weights["bos"], weights["eos"], weights["pad"]
        results.append(find(model, state, bos, eos, pad, max_len, beam, alpha))
        for t, tokens in enumerate(model.tokens_given):
            tokens_given[b, t, : len(tokens)] = tokens[:beam]
    return results, tokens_given


def side_by_side(results):
    """Return the ids of all sentences, and their scores; what is no such pair as it is.

    Raises TypeError where ids are not whole numbers.
    """
    for result in results:
        if not isinstance(result, tuple | list) or len(result) != 2:
            return result
        if np.asarray(result[0]).dtype.kind == "f":
            raise TypeError("ids came as floats, expected integers")
    return [ids for ids, _ in results], [score for _, score in results]


def penalty(student, lengths, alpha):
    return student.length_penalty(lengths, alpha)


def continuations(student, log_p, next_log_p, n):
    return student.best_continuations(log_p, next_log_p, n)


def ends(student, last_tokens, eos, beam):
    return student.finished_and_open(last_tokens, eos, beam)


def over(student, best_scores, open_log_ps, max_len, alpha):
    results = []
    for score, log_p in zip(best_scores, open_log_ps, strict=True):
        results.append(student.is_over(float(score), float(log_p), max_len, alpha))
    # the penalty of one token is 1 however it is computed: exactly the bound
    results.append(student.is_over(-5.0, -5.0, 1, alpha))
    return results


def search(student, start, weights, ending, contrast, max_len, beam, alpha):
    find = student.beam_search
    results, _ = search_each(find, start, weights, ending, contrast, max_len, beam, alpha)
    return side_by_side(results)


def tokens_given(student, start, weights, ending, contrast, max_len, beam, little):
    find = student.beam_search
    _, given = search_each(find, start, weights, ending, contrast, max_len, beam, little)
    return given


def places_of_continuations(last_tokens, beam):
    """Return the place of each of the best continuations in words."""
    places = []
    for i in range(len(last_tokens)):
        where = "among" if i < beam else "after"
        places.append(f"at place {i}, {where} the first K")
    return places


def steps_of_model(start, max_len, beam):
    """Return the step of each token that the model is given."""
    steps = []
    for b in range(len(start)):
        for t in range(max_len):
            steps += [f"at step {t} of sentence {b}"] * beam
    return steps


def search_slowly(start, weights, ending, contrast, max_len, beam, alpha):
    find = beam_search_slowly
    most = max_len * beam + 1  # it asks about one beginning at a time
    results, _ = search_each(find, start, weights, ending, contrast, max_len, beam, alpha, most)
    return side_by_side(results)


def continuations_slowly(log_p, next_log_p, n):
    entries = []
    for k in range(len(log_p)):
        for v in range(next_log_p.shape[1]):
            entries.append((log_p[k] + next_log_p[k, v], k, v))
    best = sorted(entries, reverse=True)[:n]
    return tuple(np.array(column) for column in zip(*best, strict=True))


EXERCISE = Exercise(
    minutes=100,
    difficulty=5,
    importance=3,
    needs=("greedy",),
    inputs=inputs,
    sizes={"B": (10, 14), "N": (2, 4), "T": (7, 10), "V": (9, 12)},
    calls=[
        Call(penalty, {"penalty": 1}),
        Call(continuations, {"values": 1, "parents": 1, "tokens": 1}),
        Call(ends, {"finished": 1, "still open": 1}),
        Call(over, {"over": 1}),
        Call(search, {"ids": 4, "score": 2}),
        Call(tokens_given, {"what the model is given": 2}),
    ],
    axes={
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
    },
    where={"finished": places_of_continuations, "what the model is given": steps_of_model},
    fill_values={"what the model is given": NOT_ASKED},
    slow={"search": search_slowly, "continuations": continuations_slowly},
    prediction=Prediction(
        "With K = 4, a search has finished a sentence with log P = -3.0 and |Y| = 4. The best "
        "open beginning has log P = -3.2. alpha is 0.6, max_len is 20. May the search stop?",
        {
            "a": "yes: log P can only sink, so -3.2 can never get back above -3.0",
            "b": (
                "no: as a longer sentence, the open one is divided by more, and may still get the"
                " higher score"
            ),
            "c": "yes: the first sentence to end is the best, for the beam is sorted",
        },
        answer="b",
        because=(
            "The finished one has the score -3.0 / lp(4) = -2.35. If the open one continued with "
            "almost certain tokens, it could reach -3.2 / lp(20) = -1.36. With alpha = 0 the "
            "first answer would be right."
        ),
    ),
    hints=[
        "best_continuations: make the table (K, V) of all sums, and treat it as one long row to "
        "sort. A position in that row tells its line and its column by a division by V with a "
        "remainder.",
        "Take the 2K best of each step. Two questions for each: does it end in <eos>, and is it "
        "among the first K? From the answers follow two lists: what is finished now, and which K "
        "stay open. Paths, log P and state of the next step are those of the parents, in the "
        "order of the second list.",
        "A step, for each length from 1 on: ask the model; best 2K; finish those of the first K "
        "with <eos>, at max_len the open ones too, each time keeping the best score and its "
        "tokens; leave the loop if the bound says so; else pick paths and state by the parents of"
        " those that stay open, and add the tokens.",
    ],
)
