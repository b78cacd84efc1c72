def add_positions(x, start):
    y = x.copy()
    for i in range(x.shape[1]):
        y[:, i] += sinusoids(start + i + 1, x.shape[2])[-1]
    return y


def new_positions_mask(n_new, n_old):
    return np.hstack([np.ones((n_new, n_old), bool), np.tri(n_new, dtype=bool)])


def self_attention_step(x, W, keys, values):
    outputs = []
    for i in range(x.shape[1]):
        one = x[:, i : i + 1]
        q = split_heads(one @ W[0], keys.shape[1])
        keys = np.append(keys, split_heads(one @ W[1], keys.shape[1]), axis=2)
        values = np.append(values, split_heads(one @ W[2], keys.shape[1]), axis=2)
        scores = np.einsum("bhqd,bhkd->bhqk", q, keys) / keys.shape[-1] ** 0.5
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        outputs.append(merge_heads(np.einsum("bhqk,bhkd->bhqd", weights, values)) @ W[3])
    return np.concatenate(outputs, axis=1), keys, values


def project_memory(memory, U, n_heads):
    both = memory @ np.concatenate([U[1], U[2]], 1)
    keys, values = np.split(both, 2, axis=-1)
    return split_heads(keys, n_heads), split_heads(values, n_heads)


def cross_attention_step(x, U, keys, values, mask):
    y = np.zeros_like(x)
    for b in range(len(x)):
        q = split_heads(x[b : b + 1] @ U[0], keys.shape[1])
        k = keys[b : b + 1, :, mask[b]]
        v = values[b : b + 1, :, mask[b]]
        y[b] = (merge_heads(attend(q, k, v, True)) @ U[3])[0]
    return y


def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    keys = memory_keys[:, :, :0]
    values = memory_values[:, :, :0]
    y = np.empty_like(x)
    for t in range(x.shape[1]):
        h = add_positions(x[:, [t]], t)
        attended, keys, values = self_attention_step(h, W, keys, values)
        h += attended
        h = h + cross_attention_step(h, U, memory_keys, memory_values, mask)
        y[:, t] = h[:, 0]
    return y
