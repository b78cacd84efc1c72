def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    B, H, T, K = q.shape
    heads = {n: w.reshape(-1, H, K) for n, w in (("q", w_query), ("k", w_key), ("v", w_value))}
    dheads = np.einsum("btd,hkd->bhtk", dy, w_output.reshape(H, K, -1))
    dweights = np.einsum("bhtk,bhsk->bhts", dheads, v)
    mean = np.einsum("bhts,bhts->bht", weights, dweights)[..., None]
    dscores = weights * (dweights - mean) * K**-0.5
    dx = np.einsum("bhts,bhsk,dhk->btd", dscores, k, heads["q"])
    dmemory = np.einsum("bhts,bhtk,dhk->bsd", dscores, q, heads["k"])
    return dx, dmemory + np.einsum("bhts,bhtk,dhk->bsd", weights, dheads, heads["v"])


def decoder_backward(dy, backwards):
    parts = []
    for n in range(len(backwards) - 1, -1, -1):
        dy, part = backwards[n](dy)
        parts.append(part)
    return dy, np.sum(parts, axis=0)
