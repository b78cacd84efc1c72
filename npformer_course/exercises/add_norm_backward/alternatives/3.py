def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    rows = (dy * gain).reshape(-1, gain.size)
    normed = xhat.reshape(-1, gain.size)
    shares = rows - rows.mean(1)[:, None] - normed * (rows * normed).mean(1)[:, None]
    dtotal = shares.reshape(dy.shape) * rstd
    dx = dtotal + sublayer_backward(dtotal * drop)
    return dx, (dy * xhat).sum(axis=(0, 1)), dy.sum(axis=(0, 1))


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dx, dgain, dbias = layer_norm_backward(sublayer_backward(drop * dy), xhat, rstd, gain)
    dx += dy
    return dx, dgain, dbias
