def center(x):
    B, T, D = x.shape
    means = np.sum(x, axis=2) / D
    return x - means.reshape(B, T, 1)


def scale(x, weights):
    return np.einsum("bt,btd->btd", weights, x)


def pick(scores, ids):
    picked = np.take_along_axis(scores, ids[:, :, None], axis=2)
    return picked[:, :, 0]
