def linear(x, w, b):
    return np.einsum("...d,df->...f", x, w) + b


def linear_backward(dy, x, w):
    D, F = w.shape
    rows = x.reshape(-1, D)
    drows = dy.reshape(-1, F)
    dx = np.einsum("...f,df->...d", dy, w)
    dw = np.einsum("nd,nf->df", rows, drows)
    db = np.einsum("nf->f", drows)
    return dx, dw, db
