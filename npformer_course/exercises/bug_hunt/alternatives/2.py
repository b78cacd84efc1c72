def along_a_direction(f, x, dy, dx):
    """Compare with the slope along a random direction, three times."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        u = rng.normal(size=x.shape)
        slope = (dy * (f(x + 1e-6 * u) - f(x - 1e-6 * u))).sum() / 2e-6
        if abs((u * dx).sum() - slope) > 1e-5 * (1 + abs(slope)):
            raise AssertionError("another slope")


def test_layer_norm_backward(backward):
    rng = np.random.default_rng(3)
    x, dy, gain, bias = (rng.normal(size=shape) for shape in [(2, 4, 6), (2, 4, 6), 6, 6])
    _, xhat, rstd = layer_norm(x, gain, bias)
    dx, dgain, dbias = backward(dy, xhat, rstd, gain)
    along_a_direction(lambda x: layer_norm(x, gain, bias)[0], x, dy, dx)
    along_a_direction(lambda gain: layer_norm(x, gain, bias)[0], gain, dy, dgain)
    along_a_direction(lambda bias: layer_norm(x, gain, bias)[0], bias, dy, dbias)


def test_softmax_backward(backward):
    x, dy = np.random.default_rng(4).normal(size=(2, 4, 6))
    along_a_direction(softmax, x, dy, backward(dy, softmax(x)))


def test_average_backward(backward):
    rng = np.random.default_rng(6)
    w, v, dy = rng.random((2, 3, 4)), rng.normal(size=(2, 4, 2)), rng.normal(size=(2, 3, 2))
    keep = rng.integers(0, 2, (2, 3, 4)) * 2.0
    dw, dv = backward(dy, w, keep, v)
    along_a_direction(lambda w: average(w, keep, v), w, dy, dw)
    along_a_direction(lambda v: average(w, keep, v), v, dy, dv)


def guilty_lines():
    return dict(zip(CODE, [6, 5, 5]))
