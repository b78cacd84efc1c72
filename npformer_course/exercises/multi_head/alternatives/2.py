def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    D = len(w_query)
    cut = (D, n_heads, D // n_heads)
    q, k, v = (
        np.einsum("btd,dhk->bhtk", x, w.reshape(cut))
        for x, w in ((query, w_query), (key, w_key), (value, w_value))
    )
    powers = np.exp(np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(D / n_heads)) * np.expand_dims(
        mask, 1
    )
    weights = powers / np.clip(powers.sum(-1, keepdims=True), 1e-200, None)
    return np.einsum("bhts,bhsk,hkd->btd", weights, v, w_output.reshape(n_heads, -1, D)), weights
