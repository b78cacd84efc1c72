def normalize(x, gain, bias):
    distances = x - x.mean(axis=-1)[..., None]
    squares = (distances**2).mean(axis=-1)
    return distances / np.sqrt(squares + EPS)[..., None] * gain + bias


def post_norm(x, sublayer, drop, gain, bias):
    return normalize(sublayer(x) * drop + x, gain, bias)


def pre_norm(x, sublayer, drop, gain, bias):
    return np.sum([x, drop * sublayer(normalize(x, gain, bias))], axis=0)
