def normalize(x, gain, bias):
    distances = x - x.mean(axis=-1)[..., None]
    squares = (distances**2).mean(axis=-1)
    return distances / np.sqrt(squares + EPS)[..., None] * gain + bias


def post_norm(x, sublayer, drop, gain, bias):
    return normalize(sublayer(x) * drop + x, gain, bias)


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    rows = (dy * gain).reshape(-1, gain.size)
    normed = xhat.reshape(-1, gain.size)
    shares = rows - rows.mean(1)[:, None] - normed * (rows * normed).mean(1)[:, None]
    dtotal = shares.reshape(dy.shape) * rstd
    dx = dtotal + sublayer_backward(dtotal * drop)
    return dx, (dy * xhat).sum(axis=(0, 1)), dy.sum(axis=(0, 1))


def pre_norm(x, sublayer, drop, gain, bias):
    return np.sum([x, drop * sublayer(normalize(x, gain, bias))], axis=0)


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dx, dgain, dbias = layer_norm_backward(sublayer_backward(drop * dy), xhat, rstd, gain)
    dx += dy
    return dx, dgain, dbias
