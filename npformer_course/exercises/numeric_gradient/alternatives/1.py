def numeric_gradient(f, x, dy, h=1e-5):
    slopes = []
    for i in range(x.size):
        moved = np.zeros(x.size)
        moved[i] = h
        moved = moved.reshape(x.shape)
        difference = f(x + moved) - f(x - moved)
        slopes.append(np.sum(dy * difference) / (2 * h))
    return np.array(slopes).reshape(x.shape)


def relative_error(got, expected):
    largest = abs(expected).max()
    if largest == 0:
        largest = 1.0
    return abs((got - expected) / largest).max()
