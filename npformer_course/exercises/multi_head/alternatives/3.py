def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    y, every = 0, []
    columns = [np.split(w, n_heads, axis=1) for w in (w_query, w_key, w_value)]
    for wq, wk, wv, wo in zip(*columns, np.split(w_output, n_heads)):
        head, weights = attention(
            (query @ wq)[:, None], (key @ wk)[:, None], (value @ wv)[:, None], mask[:, None]
        )
        y = y + head[:, 0] @ wo
        every.append(weights[:, 0])
    return y, np.stack(every, 1)
