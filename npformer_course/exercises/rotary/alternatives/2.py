def turned(x, positions):
    rates = np.exp(-np.log(10000.0) * np.arange(x.shape[-1] // 2) / (x.shape[-1] // 2))
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * np.multiply.outer(positions, rates))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotate(x, start):
    return turned(x, start + np.arange(x.shape[-2]))


def rotate_backward(dy, start):
    return turned(dy, -(start + np.arange(dy.shape[-2])))


def rotary_scores(q, k):
    S = k.shape[-2]
    T = q.shape[-2]
    # only the distance counts, so count from the first query
    k = turned(k, np.arange(S) - (S - T))
    q = turned(q, np.arange(T)) * q.shape[-1] ** -0.5
    return np.matmul(q, np.moveaxis(k, -1, -2))


def rotary_scores_backward(dscores, q, k):
    S = k.shape[-2]
    T = q.shape[-2]
    dscores = dscores * q.shape[-1] ** -0.5
    at_q = np.arange(T)
    at_k = np.arange(S) - (S - T)
    dq = turned(np.matmul(dscores, turned(k, at_k)), -at_q)
    dk = turned(np.matmul(np.moveaxis(dscores, -1, -2), turned(q, at_q)), -at_k)
    return dq, dk
