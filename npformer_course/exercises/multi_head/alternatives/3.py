def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    for_query = np.split(w_query, n_heads, axis=1)
    for_key = np.split(w_key, n_heads, axis=1)
    for_value = np.split(w_value, n_heads, axis=1)
    for_output = np.split(w_output, n_heads)
    y = 0
    every = []
    for h in range(n_heads):
        q = (query @ for_query[h])[:, None]
        k = (key @ for_key[h])[:, None]
        v = (value @ for_value[h])[:, None]
        head, weights = attention(q, k, v)
        y = y + head[:, 0] @ for_output[h]
        every.append(weights[:, 0])
    return y, np.stack(every, 1)
