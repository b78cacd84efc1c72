"""How the answers to kv_cache are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attend, layer_at_once, merge_heads, split_heads


def inputs(draw, B, H, K, L, N, S):
    """Draw L positions that are in the cache and N that are new, a memory, and matrices.

    d_k is 2 K, so that D is even.
    """
    d_k = 2 * K
    D = H * d_k
    scale = 1.5 / np.sqrt(D)
    W = scale * draw.normal(4, D, D)
    U = scale * draw.normal(4, D, D)
    earlier = draw.normal(B, L, D)
    memory = draw.normal(B, S, D)

    def heads(x):
        return x.reshape(B, -1, H, d_k).transpose(0, 2, 1, 3).copy()

    return {
        "x": draw.normal(B, N, D),
        "start": L,
        "n_new": N,
        "n_old": L,
        "earlier": earlier,
        "keys": heads(earlier @ W[1]),
        "values": heads(earlier @ W[2]),
        "W": W,
        "U": U,
        "n_heads": H,
        "memory": memory,
        "memory_keys": heads(memory @ U[1]),
        "memory_values": heads(memory @ U[2]),
        "mask": draw.mask(B, S),
        "tokens": draw.normal(B, N + 2, D),
    }


def positions(student, x, start):
    return student.add_positions(x, start)


def mask_of_new(student, n_new, n_old):
    return student.new_positions_mask(n_new, n_old)


def self_attention(student, x, W, keys, values):
    return student.self_attention_step(x, W, keys, values)


def of_memory(student, memory, U, n_heads):
    return student.project_memory(memory, U, n_heads)


def cross_attention(student, x, U, memory_keys, memory_values, mask):
    return student.cross_attention_step(x, U, memory_keys, memory_values, mask)


def decode(student, tokens, W, U, memory_keys, memory_values, mask):
    attend_of_student = student.attend

    def attend_from_one(q, k, v, mask):
        n_positions = q.shape[2]
        if n_positions > 1:
            raise ValueError(f"attend got queries of {n_positions} positions: a step here has one")
        return attend_of_student(q, k, v, mask)

    student.attend = attend_from_one
    try:
        return student.decode_one_by_one(tokens, W, U, memory_keys, memory_values, mask)
    finally:
        student.attend = attend_of_student


def positions_slowly(x, start):
    y = x.copy()
    for i in range(x.shape[1]):
        for d in range(x.shape[2]):
            angle = (start + i) / 10000 ** (d // 2 * 2 / x.shape[2])
            wave = np.cos if d % 2 else np.sin
            y[:, i, d] += wave(angle)
    return y


def self_attention_at_once(x, earlier, W, n_heads):
    whole = np.concatenate([earlier, x], 1)
    T = whole.shape[1]
    q = split_heads(whole @ W[0], n_heads)
    k = split_heads(whole @ W[1], n_heads)
    v = split_heads(whole @ W[2], n_heads)
    y = merge_heads(attend(q, k, v, np.tril(np.ones((T, T), bool)))) @ W[3]
    return y[:, earlier.shape[1] :], k, v


def decode_at_once(tokens, memory, W, U, n_heads, mask):
    return layer_at_once(tokens, memory, W, U, n_heads, mask)


EXERCISE = Exercise(
    minutes=50,
    difficulty=4,
    importance=3,
    needs=("positions", "multi_head", "masked_attention"),
    inputs=inputs,
    sizes={"K": (1, 3), "L": (0, 8)},
    calls=[
        Call(positions, {"positions": 1}),
        Call(mask_of_new, {"mask": 1}),
        Call(self_attention, {"y of self-attention": 3, "keys": 1, "values": 1}),
        Call(of_memory, {"keys of the memory": 1, "values of the memory": 1}),
        Call(cross_attention, {"y of cross-attention": 2}),
        Call(decode, {"y of all steps": 3}),
    ],
    slow={
        "positions": positions_slowly,
        "self_attention": self_attention_at_once,
        "decode": decode_at_once,
    },
    prediction=Prediction(
        "You write one token after the other, one position a step (N = 1). Which part does the "
        "causal mask of self-attention play in such a step?",
        {
            "a": "none: everything in the cache, and the position itself, may be looked at",
            "b": "it hides the newest position from itself",
            "c": "it hides all positions but the newest",
        },
        answer="a",
        because=(
            "The mask hides the future, and with one new position the future is not in the cache "
            "yet. Its row of the mask is all True. With N > 1 a mask is needed again: the first "
            "of the new ones must not see the last."
        ),
    ),
    hints=[
        "Two functions need no thought about the cache: project_memory and cross_attention_step "
        "are cross-attention as you know it, cut in two. For add_positions, think of the table "
        "as long as you like: which N of its rows do you want?",
        "In self_attention_step make query, key and value of the new positions alone. The longer "
        "keys and values are old and new joined along the axis of positions, and these are what "
        "the queries look at. For the mask, give every column its number 0 .. L + N - 1 and "
        "every row the number of its position in the sentence.",
        "decode_one_by_one: begin with keys and values of length 0. A step takes x at one "
        "position (keep the axis), adds row t of the table, calls self_attention_step and keeps "
        "what it returns, adds the residual, calls cross_attention_step and adds that residual "
        "too. Join the results along the axis of positions.",
    ],
)
