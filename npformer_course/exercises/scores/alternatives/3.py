def scores(q, k):
    return [np.dot(q, key) for key in k]


def weighted_mean(weights, v):
    mean = np.zeros(v.shape[1])
    for weight, value in zip(weights, v):
        mean += weight * value
    return mean
