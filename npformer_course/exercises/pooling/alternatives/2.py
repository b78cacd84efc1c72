def mean_pool(x, mask):
    return np.einsum("bs,bsd->bd", mask, x) / np.count_nonzero(mask, axis=1)[:, None]


def mean_pool_backward(dy, mask):
    per_token = dy / np.count_nonzero(mask, axis=1)[:, None]
    return np.where(mask[:, :, None], per_token[:, None, :], 0)
