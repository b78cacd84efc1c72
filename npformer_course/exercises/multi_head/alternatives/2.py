def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    D = len(w_query)
    d_k = D // n_heads
    q = np.einsum("btd,dhk->bhtk", query, w_query.reshape(D, n_heads, d_k))
    k = np.einsum("bsd,dhk->bhsk", key, w_key.reshape(D, n_heads, d_k))
    v = np.einsum("bsd,dhk->bhsk", value, w_value.reshape(D, n_heads, d_k))

    powers = np.exp(np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(d_k))
    weights = powers / powers.sum(-1, keepdims=True)
    y = np.einsum("bhts,bhsk,hkd->btd", weights, v, w_output.reshape(n_heads, d_k, D))
    return y, weights
