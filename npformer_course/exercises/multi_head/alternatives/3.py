def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    wqs = np.split(w_query, n_heads, axis=1)
    wks = np.split(w_key, n_heads, axis=1)
    wvs = np.split(w_value, n_heads, axis=1)
    wos = np.split(w_output, n_heads)
    y = 0
    every = []
    for wq, wk, wv, wo in zip(wqs, wks, wvs, wos):
        q = (query @ wq)[:, None]
        k = (key @ wk)[:, None]
        v = (value @ wv)[:, None]
        head, weights = attention(q, k, v, mask[:, None])
        y = y + head[:, 0] @ wo
        every.append(weights[:, 0])
    return y, np.stack(every, 1)
