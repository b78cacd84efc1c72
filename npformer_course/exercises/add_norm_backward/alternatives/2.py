def norm_backward(dy, xhat, rstd, gain):
    D = gain.size
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dx = rstd * np.einsum("bti,btij->btj", dy * gain, slope)
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dtotal, dgain, dbias = norm_backward(dy, xhat, rstd, gain)
    dx = np.zeros_like(dy)
    for path in (dtotal, sublayer_backward(np.multiply(dtotal, drop))):
        dx += path
    return dx, dgain, dbias


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dinner = sublayer_backward(np.multiply(dy, drop))
    dx, dgain, dbias = norm_backward(dinner, xhat, rstd, gain)
    return dx + dy, dgain, dbias
