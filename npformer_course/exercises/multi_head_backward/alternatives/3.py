def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    wide = np.hstack([w_query, w_key, w_value])
    split = split_heads(dy.dot(w_output.T), q.shape[1])
    dwide = np.concatenate(
        [merge_heads(d) for d in attention_backward(split, q, k, v, weights)], axis=2
    )
    dx = dwide @ np.transpose(wide)
    dw = sum(one.T @ d for one, d in zip(x, dwide))
    dwo = np.tensordot(merge_heads(heads), dy, axes=([0, 1], [0, 1]))
    return (dx, *np.split(dw, 3, axis=1), dwo)


def output_backward(dy, heads, w_output):
    H, d = heads.shape[1], heads.shape[3]
    dheads = np.einsum("btD,hkD->bhtk", dy, w_output.reshape(H, d, -1))
    return dheads, np.einsum("bhtk,btD->hkD", heads, dy).reshape(w_output.shape)


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        side_by_side = np.concatenate([g[:, h] for h in range(g.shape[1])], axis=-1)
        dx = dx + side_by_side @ w.T
        dws.append(sum(one.T @ d for one, d in zip(x, side_by_side)))
    return dx, *dws
