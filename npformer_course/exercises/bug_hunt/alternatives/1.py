def check(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


def test_layer_norm_backward(f):
    rng = np.random.default_rng()
    B, T, D = 3, 2, 4
    x, dy, gain = rng.normal(size=(B, T, D)), rng.normal(size=(B, T, D)), rng.uniform(1, 3, D)
    y, xhat, rstd = layer_norm(x, gain, np.zeros(D))
    dx, dgain, dbias = f(dy, xhat, rstd, gain)
    for b in range(B):
        for t in range(T):
            g = dy[b, t] * gain
            jacobian = rstd[b, t, 0] * (np.eye(D) - 1 / D - np.outer(xhat[b, t], xhat[b, t]) / D)
            check(dx[b, t], jacobian @ g)
    check(dgain, sum(dy[b, t] * xhat[b, t] for b in range(B) for t in range(T)))
    check(dbias, sum(dy[b, t] for b in range(B) for t in range(T)))


def test_softmax_backward(f):
    y = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    dy = np.array([[1.0, -2.0, 0.5], [3.0, 1.0, 0.0]])
    expected = np.stack([(np.diag(row) - np.outer(row, row)) @ d for row, d in zip(y, dy)])
    check(f(dy, y), expected)


def test_average_backward(f):
    rng = np.random.default_rng(8)
    w, v, dy = rng.random((1, 2, 3)), rng.normal(size=(1, 3, 2)), rng.normal(size=(1, 2, 2))
    keep = np.array([[[0, 2, 2], [2, 0, 2]]]) * 1.0
    dw, dv = f(dy, w, keep, v)
    expected_w, expected_v = np.zeros(w.shape), np.zeros(v.shape)
    for t in range(2):
        for s in range(3):
            expected_w[0, t, s] = keep[0, t, s] * (dy[0, t] @ v[0, s])
            expected_v[0, s] += keep[0, t, s] * w[0, t, s] * dy[0, t]
    check(dw, expected_w)
    check(dv, expected_v)


def guilty_lines():
    return {
        "layer_norm_backward": "along_ones = gain * dy.mean(-1, keepdims=True)",
        "softmax_backward": "    dx = dx / len(dx)",
        "average_backward": "dvalue = weights.swapaxes(-1, -2) @ dy",
    }
