def post_norm(x, sublayer, drop, gain, bias):
    y, xhat, rstd = layer_norm(np.add(sublayer(x) * drop, x), gain, bias)
    return y


def pre_norm(x, sublayer, drop, gain, bias):
    y = x.copy()
    y += sublayer(layer_norm(x, gain, bias)[0]) * drop
    return y
