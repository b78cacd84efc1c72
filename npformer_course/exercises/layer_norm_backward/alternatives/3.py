def layer_norm_backward(dy, xhat, rstd, gain):
    rows, normed = (dy * gain).reshape(-1, gain.size), xhat.reshape(-1, gain.size)
    dx = gain.size * rows - rows.sum(1)[:, None] - normed * (rows * normed).sum(1)[:, None]
    dx = (dx * rstd.reshape(-1, 1) / gain.size).reshape(dy.shape)
    flat = dy.reshape(-1, gain.size)
    return dx, np.diag(flat.T @ normed), np.ones(len(flat)) @ flat
