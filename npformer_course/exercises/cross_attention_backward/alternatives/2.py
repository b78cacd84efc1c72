def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    B, H, T, K = q.shape
    wq = w_query.reshape(-1, H, K)
    wk = w_key.reshape(-1, H, K)
    wv = w_value.reshape(-1, H, K)
    dheads = np.einsum("btd,hkd->bhtk", dy, w_output.reshape(H, K, -1))
    dweights = np.einsum("bhtk,bhsk->bhts", dheads, v)
    mean = np.einsum("bhts,bhts->bht", weights, dweights)[..., None]
    dscores = weights * (dweights - mean) * K**-0.5
    dx = np.einsum("bhts,bhsk,dhk->btd", dscores, k, wq)
    by_keys = np.einsum("bhts,bhtk,dhk->bsd", dscores, q, wk)
    by_values = np.einsum("bhts,bhtk,dhk->bsd", weights, dheads, wv)
    return dx, by_keys + by_values


def decoder_backward(dy, backwards):
    parts = []
    for n in range(len(backwards) - 1, -1, -1):
        dy, part = backwards[n](dy)
        parts.append(part)
    return dy, np.sum(parts, axis=0)
