def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    dheads = split_heads(np.inner(dy, w_output), len(q[0]))
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    dmerged = np.concatenate([merge_heads(dk), merge_heads(dv)], axis=-1)
    matrices = np.concatenate([w_key, w_value], axis=1)
    return np.inner(merge_heads(dq), w_query), dmerged @ matrices.T


def decoder_backward(dy, backwards):
    dy, dmemory = backwards[-1](dy)
    dmemory = dmemory.copy()
    for backward in backwards[-2::-1]:
        dy, more = backward(dy)
        dmemory += more
    return dy, dmemory
