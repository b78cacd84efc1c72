"""How the answers to greedy are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import greedy_slowly


def inputs(draw, B, T, V):
    """Draw a model, the ids that mean something to it, and where its sentences end."""
    V = max(V, 5)
    T = max(T, 2)  # so that a sentence can end before it is cut off
    bos, eos, pad = draw.rng.permutation(np.arange(1, V))[:3]
    lengths = draw.rng.integers(2, max(T - 1, 3), B)  # with <eos>
    longest, shortest = draw.rng.permutation(max(B, 2))[:2] % B
    lengths[shortest] = 1
    lengths[longest] = T - 1
    lengths = np.minimum(lengths, T)
    place = np.arange(T)
    p_end = draw.rng.uniform(0.01, 0.06, (B, T))
    p_end[place == lengths[:, None] - 1] = draw.rng.uniform(0.55, 0.85, B)
    p_end[shortest, 2:3] = 0.7  # a second <eos>, if it were asked for
    by_place = draw.normal(B, T, V)
    by_place[longest, 1, 0] = 20  # its second token is the id 0, a word
    return {
        "by_last": draw.normal(V, V),
        "by_last_but_one": draw.normal(V, V),
        "by_place": by_place,
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
                f"the model got {ids.dtype.name} of shape {ids.shape}: "
                f"it reads integers ({n_sentences}, t)"
            )
        length = ids.shape[1]
        if not 1 <= length <= longest:
            raise ValueError(
                f"the model got {length} positions: "
                f"with max_len {longest} it is given 1 to {longest}"
            )
        read.append(ids.copy())
        before = np.concatenate([ids[:, :1], ids[:, :-1]], 1)
        scores = by_last[ids] + by_last_but_one[before] + by_place[:, :length]  # (B, t, V)
        scores[..., [pad, bos]] = -20
        scores[..., eos] = -np.inf
        scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
        scores += np.log(1 - p_end[:, :length, None])
        scores[..., eos] = np.log(p_end[:, :length])
        return scores

    return model


def whole(result):
    """Return ids and log_p as they came; raise TypeError where ids are not whole numbers."""
    is_pair = isinstance(result, tuple | list) and len(result) == 2
    if is_pair and np.asarray(result[0]).dtype.kind == "f":
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
    return whole(student.greedy(model, len(p_end), bos, eos, pad, shorter))


def eos_is_0(student, by_last, by_last_but_one, by_place, p_end, bos, pad, max_len):
    """Return log_p alone: whether the places after <eos> hold `eos` or 0 would not show."""
    model = make_model(by_last, by_last_but_one, by_place, p_end, bos, 0, pad, [])
    result = student.greedy(model, len(p_end), bos, 0, pad, max_len)
    if result is None:
        return None
    _, log_p = result
    return log_p


def one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    """Write each sentence alone."""
    model = make_model(by_last, by_last_but_one, by_place[:, :max_len], p_end, bos, eos, pad, [])
    n_sentences = len(p_end)
    ids = np.full((n_sentences, max_len), pad)
    log_p = np.zeros(n_sentences)
    for b in range(n_sentences):

        def one_sentence(prefix, b=b):
            return model(np.repeat(prefix, n_sentences, 0))[b : b + 1]

        sentence, log_p[b] = greedy_slowly(one_sentence, bos, eos, max_len)
        ids[b, : len(sentence)] = sentence
    return ids, log_p


def cut_one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, shorter):
    return one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, shorter)


def eos_is_0_one_by_one(by_last, by_last_but_one, by_place, p_end, bos, pad, max_len):
    _, log_p = one_by_one(by_last, by_last_but_one, by_place, p_end, bos, 0, pad, max_len)
    return log_p


def all_but_the_last_column(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len):
    ids, _ = one_by_one(by_last, by_last_but_one, by_place, p_end, bos, eos, pad, max_len)
    n_steps = int((ids != pad).sum(1).max())
    return np.concatenate([np.full((len(p_end), 1), bos), ids[:, : n_steps - 1]], 1)


EXERCISE = Exercise(
    minutes=30,
    difficulty=2,
    importance=4,
    needs=("masked_attention",),
    inputs=inputs,
    unchanged=0,
    sizes={"B": (3, 6), "T": (6, 9), "V": (7, 12)},
    calls=[
        Call(decode, {"ids": 3, "log_p": 2}),
        Call(last_read, {"the last that the model reads": 1}),
        Call(cut_off, {"ids of cut sentences": 1, "log_p of cut sentences": 1}),
        Call(eos_is_0, {"log_p where <eos> is 0": 1}),
    ],
    slow={
        "decode": one_by_one,
        "last_read": all_but_the_last_column,
        "cut_off": cut_one_by_one,
        "eos_is_0": eos_is_0_one_by_one,
    },
    prediction=Prediction(
        "Greedy decoding takes the most probable token at every step. Is its sentence the most "
        "probable of all sentences?",
        {
            "a": "yes: a product is largest when each of its factors is",
            "b": "not always: a less likely first word can lead to words that are nearly certain",
            "c": "yes, if the model is trained well enough",
        },
        answer="b",
        because=(
            "The factors are not free: the choice of one token changes the probabilities of all "
            "that follow. In notebook 19 'good' is the most probable first word, but 'how do you "
            "do' the most probable sentence. Beam search, the next exercise, is the answer to "
            "that."
        ),
    ),
    hints=[
        "Begin with a column of <bos>, one for each sentence, and let the array grow by a column "
        "a step. A boolean for each sentence, whether it has ended, is all else that you must "
        "remember.",
        "Of what the model returns, only the last position matters: (B, V). Take the most "
        "probable token of each row; then, in the rows of sentences that had ended before this "
        "step, replace it, and add nothing to their log_p.",
        "The order within a step: leave the loop if all have ended; ask; choose; in ended rows "
        "take pad; add to log_p where not ended; only now note who has just ended (who had ended "
        "stays so); write the column into both arrays.",
    ],
)
