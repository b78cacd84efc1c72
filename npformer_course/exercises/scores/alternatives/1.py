def scores(q, k):
    return k @ q


def weighted_mean(weights, v):
    return weights @ v
