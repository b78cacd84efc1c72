def softmax(x):
    distance = x[..., None, :] - x[..., :, None]
    with np.errstate(over="ignore"):
        return 1 / np.exp(distance).sum(-1)
