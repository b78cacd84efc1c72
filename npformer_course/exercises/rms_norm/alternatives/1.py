def rms_norm(x, gain, eps):
    y = np.zeros(x.shape)
    xhat = np.zeros(x.shape)
    scale = np.zeros((*x.shape[:2], 1))
    for b, sentence in enumerate(x):
        for t, row in enumerate(sentence):
            scale[b, t] = (row @ row / len(row) + eps) ** -0.5
            xhat[b, t] = row * scale[b, t]
            y[b, t] = xhat[b, t] * gain
    return y, xhat, scale


def rms_norm_backward(dy, xhat, scale, gain):
    dx = np.zeros(dy.shape)
    dgain = np.zeros(len(gain))
    for b, t in np.ndindex(dy.shape[:2]):
        row = xhat[b, t]
        dgain += dy[b, t] * row
        arriving = dy[b, t] * gain
        dx[b, t] = scale[b, t] * (arriving - row * (arriving @ row) / len(row))
    return dx, dgain
