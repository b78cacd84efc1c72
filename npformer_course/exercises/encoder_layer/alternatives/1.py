def project(x, w, name):
    return np.einsum("btd,de->bte", x, w[f"{name}.weight"]) + w[f"{name}.bias"]


def multi_head(x, memory, mask, w, n_heads):
    query = project(x, w, "w_query")
    key = project(memory, w, "w_key")
    value = project(memory, w, "w_value")
    width = query.shape[-1] // n_heads

    results = []
    for h in range(n_heads):
        own = slice(h * width, (h + 1) * width)
        scores = query[..., own] @ key[..., own].transpose(0, 2, 1) / width**0.5
        powers = np.exp(scores) * mask
        results.append(powers @ value[..., own] / powers.sum(-1, keepdims=True))
    return project(np.concatenate(results, axis=-1), w, "w_output")


def add_and_norm(x, change, w):
    return norm(x + change, w)


def encoder_layer(x, mask, w, n_heads):
    attention = part_of(w, "self_attention")
    forward = part_of(w, "feed_forward")
    change = multi_head(x, x, mask, part_of(attention, "sublayer"), n_heads)
    x = add_and_norm(x, change, part_of(attention, "norm"))
    change = network(x, part_of(forward, "sublayer"))
    return add_and_norm(x, change, part_of(forward, "norm"))
