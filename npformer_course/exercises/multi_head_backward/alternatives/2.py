def output_backward(dy, heads, w_output):
    B, H, T, d_k = heads.shape
    w = w_output.reshape(H, d_k, -1)
    dheads = np.einsum("btD,hkD->bhtk", dy, w)
    dw = np.einsum("bhtk,btD->hkD", heads, dy)
    return dheads, dw.reshape(w_output.shape)


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx_query, dw_query = projection_backward(dq, x, w_query)
    dx_key, dw_key = projection_backward(dk, x, w_key)
    dx_value, dw_value = projection_backward(dv, x, w_value)
    return dx_query + dx_key + dx_value, dw_query, dw_key, dw_value


def projection_backward(dheads, x, w):
    B, H, T, d_k = dheads.shape
    dx = np.einsum("bhtk,Dhk->btD", dheads, w.reshape(-1, H, d_k))
    dw = np.einsum("btD,bhtk->Dhk", x, dheads)
    return dx, dw.reshape(w.shape)


def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    dheads, dw_output = output_backward(dy, heads, w_output)
    dweights = np.einsum("bhtk,bhsk->bhts", dheads, v)
    mean = np.einsum("bhts,bhts->bht", weights, dweights)[..., None]
    dscores = weights * (dweights - mean) / np.sqrt(q.shape[3])
    dq = np.einsum("bhts,bhsk->bhtk", dscores, k)
    dk = np.einsum("bhts,bhtk->bhsk", dscores, q)
    dv = np.einsum("bhts,bhtk->bhsk", weights, dheads)
    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output
