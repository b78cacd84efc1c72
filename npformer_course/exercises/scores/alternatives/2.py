def scores(q, k):
    return np.einsum("d,sd->s", q, k)


def weighted_mean(weights, v):
    return np.average(v, axis=0, weights=weights)
