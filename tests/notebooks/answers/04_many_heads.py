OF_HEADS = "of_heads = ...  # (2, 10), a row for each head, from concat and w_output"
ANSWERS = {
    OF_HEADS: ("of_heads = np.stack([concat[:5] @ w_output[:5], concat[5:] @ w_output[5:]])")
}
WRONG = {
    OF_HEADS: "of_heads = np.stack([concat[:5], concat[5:]]) @ w_output[:5]",
    "split_heads": (
        "def split_heads(x, n_heads):\n    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)\n"
    ),
    "multi_head_attention": (
        "def multi_head_attention("
        "query, key, value, w_query, w_key, w_value, w_output, n_heads):\n"
        "    return attention(query @ w_query, key @ w_key, value @ w_value)\n"
    ),
}
