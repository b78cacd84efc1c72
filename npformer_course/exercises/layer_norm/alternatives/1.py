def layer_norm(x, gain, bias, eps):
    y = np.zeros(x.shape)
    xhat = np.zeros(x.shape)
    rstd = np.zeros((*x.shape[:2], 1))
    for b, sentence in enumerate(x):
        for t, row in enumerate(sentence):
            distances = row - sum(row) / len(row)
            rstd[b, t] = (distances @ distances / len(row) + eps) ** -0.5
            xhat[b, t] = distances * rstd[b, t]
            y[b, t] = xhat[b, t] * gain + bias
    return y, xhat, rstd
