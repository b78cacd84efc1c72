def check(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


def test_split_heads(f):
    x = np.arange(24).reshape(1, 2, 12)
    y = f(x, 3)
    assert np.array_equal(y[0, 0], [[0, 1, 2, 3], [12, 13, 14, 15]])
    assert np.array_equal(y[0, 2], [[8, 9, 10, 11], [20, 21, 22, 23]])


def test_embedding_backward(f):
    dtable = f(np.ones((1, 3, 4)), np.array([[2, 0, 2]]), 3)
    check(dtable, np.array([[2.0], [0.0], [4.0]]) * np.ones(4))


def test_tied_backward(f):
    rng = np.random.default_rng(9)
    dx, y, dlogits = (
        rng.normal(size=(2, 2, 3)),
        rng.normal(size=(2, 2, 3)),
        rng.normal(size=(2, 2, 5)),
    )
    expected = np.zeros((5, 3))
    ids = np.array([[4, 0], [0, 3]])
    for b in range(2):
        for t in range(2):
            expected[ids[b, t]] += dx[b, t] * 3**0.5
            for v in range(5):
                expected[v] += dlogits[b, t, v] * y[b, t]
    check(f(dx, ids, dlogits, y), expected)


def guilty_lines():
    return {
        "split_heads": "heads = x.reshape(B, n_heads, T, width)",
        "embedding_backward": "dtable[ids] += dy * np.sqrt(D)",
        "tied_backward": "dtable = dlogits.reshape(-1, V).T @ y.reshape(-1, D)",
    }
