def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    B, T, D = query.shape
    d_k = D // n_heads
    side_by_side = np.zeros((B, T, D))
    weights = np.zeros((B, n_heads, T, key.shape[1]))
    for b in range(B):
        q = query[b] @ w_query
        k = key[b] @ w_key
        v = value[b] @ w_value
        for h in range(n_heads):
            own = slice(h * d_k, (h + 1) * d_k)
            head, weights[b, h] = attention(q[:, own], k[:, own], v[:, own])
            side_by_side[b, :, own] = head
    return side_by_side @ w_output, weights
