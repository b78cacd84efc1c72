def layer_norm_backward(dy, xhat, rstd, gain):
    dx = np.zeros(dy.shape)
    dgain = np.zeros(gain.shape)
    dbias = np.zeros(gain.shape)
    for b, t in np.ndindex(dy.shape[:2]):
        row = xhat[b, t]
        dgain += dy[b, t] * row
        dbias += dy[b, t]
        dxhat = dy[b, t] * gain
        dx[b, t] = dxhat - np.mean(dxhat) - row * np.dot(dxhat, row) / len(row)
        dx[b, t] *= rstd[b, t, 0]
    return dx, dgain, dbias
