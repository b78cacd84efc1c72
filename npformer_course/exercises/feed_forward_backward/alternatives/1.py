def feed_forward_backward(dy, x, hidden, w1, w2):
    D, F = w1.shape
    rows = x.reshape(-1, D)
    on = hidden.reshape(-1, F)
    drows = dy.reshape(-1, D)

    back = drows @ w2.T
    back[on == 0] = 0
    dx = (back @ w1.T).reshape(x.shape)
    return dx, rows.T @ back, back.sum(0), on.T @ drows, drows.sum(0)
