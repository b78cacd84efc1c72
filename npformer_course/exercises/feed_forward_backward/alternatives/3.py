def feed_forward_backward(dy, x, hidden, w1, w2):
    dx = np.zeros(x.shape)
    dw1 = np.zeros(w1.shape)
    db1 = np.zeros(w1.shape[1])
    dw2 = np.zeros(w2.shape)
    for one, into_one, h, d in zip(x, dx, hidden, dy):
        back = d @ w2.T * (h != 0)
        into_one += back @ w1.T
        dw1 += one.T @ back
        db1 += sum(back)
        dw2 += h.T @ d
    return dx, dw1, db1, dw2, sum(sum(dy))
