def multi_head(x, memory, mask, w, n_heads):
    B, T, D = x.shape
    y = np.zeros((B, T, D))
    mask = np.broadcast_to(mask, (B, T, memory.shape[1]))
    for b in range(B):
        # the bias of the keys is left out: softmax does not see it
        q = x[b : b + 1] @ w["w_query.weight"] + w["w_query.bias"]
        k = memory[b : b + 1] @ w["w_key.weight"]
        v = memory[b : b + 1] @ w["w_value.weight"]
        parts = [split_heads(part, n_heads) for part in (q, k, v)]
        heads = masked_attention(*parts, mask[b])[0]
        # the weights of a query add up to 1, so its average has the bias of the values once
        y[b] = (merge_heads(heads)[0] + w["w_value.bias"]) @ w["w_output.weight"]
    return y + w["w_output.bias"]


def encoder_layer(x, mask, w, n_heads):
    def attention(x, w):
        return multi_head(x, x, mask, w, n_heads)

    for name, sublayer in (("self_attention", attention), ("feed_forward", network)):
        own = part_of(w, name)
        total = x + sublayer(x, part_of(own, "sublayer"))
        x = norm(total, part_of(own, "norm"))
    return x
