def center(x):
    return np.array([[row - row.mean() for row in sentence] for sentence in x])


def scale(x, weights):
    return np.array([[w * row for w, row in zip(*pair)] for pair in zip(weights, x)])


def pick(scores, ids):
    return scores.reshape(-1, scores.shape[-1])[np.arange(ids.size), ids.ravel()].reshape(ids.shape)
