def output_backward(dy, heads, w_output):
    merged = merge_heads(heads)
    dw = np.tensordot(merged, dy, axes=([0, 1], [0, 1]))
    dheads = np.stack(np.split(dy.dot(w_output.T), heads.shape[1], axis=2), axis=1)
    return dheads, dw


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    # the three matrices as a single wide one
    wide = np.hstack([w_query, w_key, w_value])
    dwide = np.concatenate([merge_heads(dq), merge_heads(dk), merge_heads(dv)], axis=2)
    dx = dwide @ np.transpose(wide)
    dw = x.reshape(-1, x.shape[-1]).T @ dwide.reshape(-1, dwide.shape[-1])
    return (dx, *np.split(dw, 3, axis=1))


def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    dheads, dw_output = output_backward(dy, heads, w_output)
    gradients = attention_backward(dheads, q, k, v, weights)
    results = list(projections_backward(*gradients, x, w_query, w_key, w_value))
    results.append(dw_output)
    return results
