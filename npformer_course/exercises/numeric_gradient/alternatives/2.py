def numeric_gradient(f, x, dy, h=1e-5):
    def loss(i, step):
        moved = x.copy()
        moved.flat[i] += step
        return np.vdot(dy, f(moved))

    dx = np.empty_like(x)
    for i in range(x.size):
        dx.flat[i] = (loss(i, h) - loss(i, -h)) / h / 2
    return dx


def relative_error(got, expected):
    differences = []
    sizes = []
    for a, b in zip(got.ravel().tolist(), expected.ravel().tolist()):
        differences.append(abs(a - b))
        sizes.append(abs(b))
    if max(sizes) == 0:
        return max(differences)
    return max(differences) / max(sizes)
