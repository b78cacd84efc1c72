def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    gradients = attention_backward(split_heads(np.inner(dy, w_output), len(q[0])), q, k, v, weights)
    dquery, dkey, dvalue = (merge_heads(g) for g in gradients)
    both = np.concatenate([dkey, dvalue], axis=-1) @ np.concatenate([w_key, w_value], axis=1).T
    return np.inner(dquery, w_query), both


def decoder_backward(dy, backwards):
    dy, dmemory = backwards[-1](dy)
    dmemory = dmemory.copy()
    for backward in backwards[-2::-1]:
        dy, more = backward(dy)
        dmemory += more
    return dy, dmemory
