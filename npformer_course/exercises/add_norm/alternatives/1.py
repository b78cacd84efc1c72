def post_norm(x, sublayer, drop, gain, bias):
    changes = sublayer(x)
    y = np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        total = x[b, t] + drop[b, t] * changes[b, t]
        y[b, t], _, _ = layer_norm(total, gain, bias)
    return y


def pre_norm(x, sublayer, drop, gain, bias):
    normed = np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        normed[b, t], _, _ = layer_norm(x[b, t], gain, bias)
    changes = sublayer(normed)
    return x + np.where(drop == 0, 0, changes * drop)
