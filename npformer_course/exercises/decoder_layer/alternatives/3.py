def attend(x, memory, mask, w, name, n_heads):
    """All heads by einsum, with the names of the whole layer."""
    B, T, D = x.shape

    def heads_of(x, which):
        full = f"{name}.sublayer.w_{which}"
        return (x @ w[f"{full}.weight"] + w[f"{full}.bias"]).reshape(B, -1, n_heads, D // n_heads)

    scores = np.einsum("bthk,bshk->bths", heads_of(x, "query"), heads_of(memory, "key"))
    powers = np.exp(scores / math.sqrt(D // n_heads)) * mask[:, :, None]
    weights = powers / powers.sum(axis=-1, keepdims=True)
    merged = np.einsum("bths,bshk->bthk", weights, heads_of(memory, "value")).reshape(B, T, D)
    output = f"{name}.sublayer.w_output"
    return merged @ w[f"{output}.weight"] + w[f"{output}.bias"]


def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    sum_1 = attend(x, x, self_mask, w, "self_attention", n_heads) + x
    y_1, _, _ = layer_norm(sum_1, w["self_attention.norm.gain"], w["self_attention.norm.bias"])
    sum_2 = attend(y_1, memory, cross_mask, w, "cross_attention", n_heads) + y_1
    y_2, _, _ = layer_norm(sum_2, w["cross_attention.norm.gain"], w["cross_attention.norm.bias"])
    hidden = y_2 @ w["feed_forward.sublayer.linear_1.weight"]
    hidden = hidden + w["feed_forward.sublayer.linear_1.bias"]
    hidden = hidden * (hidden > 0)
    sum_3 = hidden @ w["feed_forward.sublayer.linear_2.weight"] + y_2
    sum_3 = sum_3 + w["feed_forward.sublayer.linear_2.bias"]
    return layer_norm(sum_3, w["feed_forward.norm.gain"], w["feed_forward.norm.bias"])[0]
