def numeric_gradient(f, x, dy, h=1e-5):
    units = np.eye(x.size).reshape(x.size, *x.shape)
    gains = np.array([f(x + h * unit) - f(x - h * unit) for unit in units])
    slopes = np.tensordot(gains, dy, dy.ndim) / (2 * h)
    return slopes.reshape(x.shape)


def relative_error(got, expected):
    distance = np.linalg.norm((got - expected).ravel(), np.inf)
    scale = np.linalg.norm(expected.ravel(), np.inf)
    if scale < 1e-300:
        scale = 1
    return distance / scale
