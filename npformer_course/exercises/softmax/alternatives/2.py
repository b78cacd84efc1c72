def softmax(x):
    top = np.max(x, axis=-1)[..., np.newaxis]
    return np.exp(x - top - np.log(np.exp(x - top).sum(axis=-1))[..., np.newaxis])
