def residual(x, f):
    return np.sum([x, f], axis=0)


def normalize(z, gain, bias, eps):
    D = len(z)
    centered = (np.eye(D) - 1 / D) @ z
    rstd = 1 / np.sqrt(centered @ centered / D + eps)
    return np.diag(gain) @ (rstd * centered) + bias
