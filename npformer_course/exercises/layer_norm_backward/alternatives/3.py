def layer_norm_backward(dy, xhat, rstd, gain):
    D = gain.size
    flat = dy.reshape(-1, D)
    normed = xhat.reshape(-1, D)
    rows = flat * gain
    dx = D * rows - rows.sum(1)[:, None] - normed * (rows * normed).sum(1)[:, None]
    dx = dx * rstd.reshape(-1, 1) / D
    dgain = np.diag(flat.T @ normed)
    dbias = np.ones(len(flat)) @ flat
    return dx.reshape(dy.shape), dgain, dbias
