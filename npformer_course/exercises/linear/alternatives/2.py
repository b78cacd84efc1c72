def linear(x, w, b):
    y = np.zeros((*x.shape[:-1], len(b)))
    for d in range(len(w)):
        y += x[..., d, None] * w[d]
    return y + b


def linear_backward(dy, x, w):
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    db = np.zeros(w.shape[1])
    for index in np.ndindex(x.shape[:-1]):
        dx[index] = w @ dy[index]
        dw += np.outer(x[index], dy[index])
        db += dy[index]
    return dx, dw, db
