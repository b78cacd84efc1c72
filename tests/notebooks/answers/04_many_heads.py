ANSWERS = {
    "heads_at_off = ...  # a number, from at_aus and off": (
        "heads_at_off = (at_aus.argmax(-1) == off).sum()"
    ),
}
WRONG = {
    "heads_at_off = ...  # a number, from at_aus and off": (
        "heads_at_off = at_aus[:, off].argmax()"
    ),
    "split_heads": (
        "def split_heads(x, n_heads):\n    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)\n"
    ),
    "multi_head_attention": (
        "def multi_head_attention("
        "query, key, value, w_query, w_key, w_value, w_output, n_heads):\n"
        "    return attention(query @ w_query, key @ w_key, value @ w_value)\n"
    ),
}
