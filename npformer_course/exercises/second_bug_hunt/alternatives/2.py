def along_a_direction(f, x, dy, dx):
    """Compare with the slope along a random direction, three times."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        u = rng.normal(size=x.shape)
        slope = (dy * (f(x + 1e-6 * u) - f(x - 1e-6 * u))).sum() / 2e-6
        if abs((u * dx).sum() - slope) > 1e-5 * (1 + abs(slope)):
            raise AssertionError("another slope")


def test_split_heads(split):
    x = np.random.default_rng(5).normal(size=(2, 3, 8))
    y = split(x, 4)
    back = np.concatenate([y[:, h] for h in range(4)], axis=-1)
    np.testing.assert_array_equal(back, x)


def test_embedding_backward(backward):
    rng = np.random.default_rng(7)
    ids, table, dy = rng.integers(0, 3, (2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(2, 5, 3))
    along_a_direction(lambda table: embed(ids, table), table, dy, backward(dy, ids, 4))


def test_tied_backward(backward):
    rng = np.random.default_rng(8)
    ids, table, dx = rng.integers(0, 3, (2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(2, 5, 3))
    y, dlogits = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 4))

    def both(table):
        return np.concatenate([embed(ids, table), generate(table, y)], -1)

    along_a_direction(both, table, np.concatenate([dx, dlogits], -1), backward(dx, ids, dlogits, y))


def guilty_lines():
    return dict(zip(CODE, [5, 5, 6]))
