def output_backward(dy, heads, w_output):
    B, H, T, d_k = heads.shape
    dheads = np.zeros(heads.shape)
    dw_output = np.zeros(w_output.shape)
    for h in range(H):
        own = slice(h * d_k, (h + 1) * d_k)
        dheads[:, h] = dy @ w_output[own].T
        for b in range(B):
            dw_output[own] += heads[b, h].T @ dy[b]
    return dheads, dw_output


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx = np.zeros(x.shape)
    gradients = []
    for w, dheads in ((w_query, dq), (w_key, dk), (w_value, dv)):
        side_by_side = np.concatenate([dheads[:, h] for h in range(dheads.shape[1])], axis=-1)
        dx += side_by_side @ w.T
        gradients.append(sum(one.T @ d for one, d in zip(x, side_by_side)))
    return dx, *gradients


def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    dheads, dw_output = output_backward(dy, heads, w_output)
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for b, h in np.ndindex(q.shape[:2]):
        w = weights[b, h]
        dw = dheads[b, h] @ v[b, h].T
        ds = w * (dw - (w * dw).sum(-1, keepdims=True)) / math.sqrt(q.shape[3])
        dq[b, h] = ds @ k[b, h]
        dk[b, h] = ds.T @ q[b, h]
        dv[b, h] = w.T @ dheads[b, h]
    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output
