def mean_pool(x, mask):
    return np.stack([rows[real].mean(0) for rows, real in zip(x, mask)])


def mean_pool_backward(dy, mask):
    dx = np.zeros((*mask.shape, dy.shape[1]))
    for b, real in enumerate(mask):
        dx[b, real] = dy[b] / real.sum()
    return dx
