def masked_softmax(x, mask):
    hidden = np.logical_not(np.broadcast_to(mask, x.shape))
    scores = x.copy()
    scores[hidden] = np.finfo(x.dtype).min
    scores -= scores.max(axis=3)[..., None]
    y = np.exp(scores)
    y[hidden] = 0
    sums = y.sum(axis=3)
    sums[sums == 0] = 1
    return y / sums[..., None]
