def center(x):
    B, T, D = x.shape
    return x - (np.sum(x, axis=2) / D).reshape(B, T, 1)


def scale(x, weights):
    return np.einsum("bt,btd->btd", weights, x)


def pick(scores, ids):
    return np.take_along_axis(scores, ids[:, :, None], axis=2)[:, :, 0]
