def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    B, H, T, d = q.shape
    D = H * d
    wo = w_output.reshape(H, d, D)
    dh = np.einsum("btD,hkD->bhtk", dy, wo)
    dw = np.einsum("bhtk,bhsk->bhts", dh, v)
    ds = weights * (dw - np.einsum("bhts,bhts->bht", weights, dw)[..., None]) / np.sqrt(d)
    dq, dk = np.einsum("bhts,bhsk->bhtk", ds, k), np.einsum("bhts,bhtk->bhsk", ds, q)
    dv = np.einsum("bhts,bhtk->bhsk", weights, dh)
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        dx = dx + np.einsum("bhtk,Dhk->btD", g, w.reshape(D, H, d))
        dws.append(np.einsum("btD,bhtk->Dhk", x, g).reshape(D, D))
    return dx, *dws, np.einsum("bhtk,btD->hkD", heads, dy).reshape(D, D)


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
