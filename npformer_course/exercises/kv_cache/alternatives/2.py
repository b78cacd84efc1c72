def add_positions(x, start):
    _, n, d = x.shape
    rates = 10000.0 ** (-np.arange(0, d, 2) / d)
    angles = np.outer(np.arange(start, start + n), rates)
    y = np.array(x)
    y[..., 0::2] += np.sin(angles)
    y[..., 1::2] += np.cos(angles)
    return y


def new_positions_mask(n_new, n_old):
    mask = np.zeros((n_new, n_old + n_new), bool)
    for t in range(n_new):
        mask[t, : n_old + t + 1] = True
    return mask


def self_attention_step(x, W, keys, values):
    B, H, L, K = keys.shape
    N = x.shape[1]
    longer_keys = np.empty((B, H, L + N, K))
    longer_keys[:, :, :L] = keys
    longer_keys[:, :, L:] = split_heads(x @ W[1], H)
    longer_values = np.empty((B, H, L + N, K))
    longer_values[:, :, :L] = values
    longer_values[:, :, L:] = split_heads(x @ W[2], H)
    mask = np.tril(np.ones((N, L + N), bool), k=L)
    y = merge_heads(attend(split_heads(x @ W[0], H), longer_keys, longer_values, mask)) @ W[3]
    return y, longer_keys, longer_values


def project_memory(memory, U, n_heads):
    B, S, D = memory.shape
    matrices = U[1:3].reshape(2, D, n_heads, D // n_heads)
    keys, values = np.einsum("bsd,mdhk->mbhsk", memory, matrices)
    return keys, values


def cross_attention_step(x, U, keys, values, mask):
    H, K = keys.shape[1], keys.shape[3]
    q = np.einsum("bnd,dhk->bhnk", x, U[0].reshape(-1, H, K))
    scores = np.einsum("bhnk,bhsk->bhns", q, keys) / np.sqrt(K)
    scores += np.where(mask, 0, -1e30)[:, None, None]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhns,bhsk,hkd->bnd", weights, values, U[3].reshape(H, K, -1))


def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    cache = [memory_keys[:, :, :0], memory_values[:, :, :0]]
    rows = []
    for t, row in enumerate(np.moveaxis(x, 1, 0)):
        here = add_positions(row[:, None], t)
        y, *cache = self_attention_step(here, W, *cache)
        here = here + y
        here = here + cross_attention_step(here, U, memory_keys, memory_values, mask)
        rows.append(here[:, 0])
    return np.stack(rows, axis=1)
