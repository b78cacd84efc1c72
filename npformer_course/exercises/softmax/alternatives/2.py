def softmax(x):
    shifted = x - np.max(x, axis=-1)[..., np.newaxis]
    log_total = np.log(np.exp(shifted).sum(axis=-1))
    return np.exp(shifted - log_total[..., np.newaxis])
