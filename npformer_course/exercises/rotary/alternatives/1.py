def rotate(x, start):
    return rotate_slowly(x, start)


def rotate_backward(dy, start):
    dx = np.empty_like(dy)
    K = dy.shape[-1]
    for n in range(dy.shape[-2]):
        for i in range(0, K, 2):
            a = (start + n) / 10000 ** (i / K)
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            dx[..., n, i : i + 2] = dy[..., n, i : i + 2] @ turn
    return dx


def rotary_scores(q, k):
    return rotary_scores_slowly(q, k)


def rotary_scores_backward(dscores, q, k):
    start = k.shape[2] - q.shape[2]
    root = q.shape[3] ** 0.5
    dq = np.einsum("bhts,bhsk->bhtk", dscores, rotate(k, 0)) / root
    dk = np.einsum("bhts,bhtk->bhsk", dscores, rotate(q, start)) / root
    return rotate_backward(dq, start), rotate_backward(dk, 0)
