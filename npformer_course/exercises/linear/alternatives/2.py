def linear(x, w, b):
    return sum(x[..., d, None] * w[d] for d in range(len(w))) + b


def linear_backward(dy, x, w):
    dx, dw, db = np.zeros_like(x), np.zeros_like(w), np.zeros(w.shape[1])
    for index in np.ndindex(x.shape[:-1]):
        dx[index] = w @ dy[index]
        dw += np.outer(x[index], dy[index])
        db += dy[index]
    return dx, dw, db
