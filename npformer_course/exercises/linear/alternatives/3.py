def linear(x, w, b):
    extended = np.concatenate([x, np.ones((*x.shape[:-1], 1))], -1)
    return extended @ np.vstack([w, b])


def linear_backward(dy, x, w):
    axes = tuple(range(x.ndim - 1))
    return dy @ w.T, np.tensordot(x, dy, (axes, axes)), dy.sum(axes)
