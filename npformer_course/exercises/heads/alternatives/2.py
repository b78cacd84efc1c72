def split_heads(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def merge_heads(heads):
    return np.concatenate([heads[:, h] for h in range(heads.shape[1])], axis=-1)
