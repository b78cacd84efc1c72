def multi_head(x, memory, mask, w, n_heads):
    D = x.shape[-1]
    d_k = D // n_heads

    def heads_of(x, name):
        # the bias is one more row, for a feature that is always 1
        rows = np.vstack([w[f"{name}.weight"], w[f"{name}.bias"]])
        with_one = np.concatenate([x, np.ones((*x.shape[:2], 1))], axis=2)
        return (with_one @ rows).reshape(*x.shape[:2], n_heads, d_k)

    scores = np.einsum("bthk,bshk->bhts", heads_of(x, "w_query"), heads_of(memory, "w_key"))
    scores = np.where(np.expand_dims(mask, 1), scores / np.sqrt(d_k), -1e9)
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights = powers / powers.sum(axis=3, keepdims=True)
    y = np.einsum("bhts,bshk->bthk", weights, heads_of(memory, "w_value")).reshape(x.shape)
    return np.dot(y, w["w_output.weight"]) + w["w_output.bias"]


def encoder_layer(x, mask, w, n_heads):
    names = [f"{place}.{what}" for place in ("linear_1", "linear_2") for what in ("weight", "bias")]
    attention = {}
    for key, array in w.items():
        if key.startswith("self_attention.sublayer."):
            attention[key.split(".", 2)[2]] = array

    r = x + multi_head(x, x, mask, attention, n_heads)
    z = layer_norm(r, w["self_attention.norm.gain"], w["self_attention.norm.bias"])[0]
    s = z + feed_forward(z, *(w[f"feed_forward.sublayer.{name}"] for name in names))[0]
    mean = s.mean(-1, keepdims=True)
    spread = np.sqrt(((s - mean) ** 2).mean(-1, keepdims=True) + 1e-6)
    return (s - mean) / spread * w["feed_forward.norm.gain"] + w["feed_forward.norm.bias"]
