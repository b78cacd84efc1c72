def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    D, F = w1.shape
    rows = x.reshape(-1, D)
    drows = dy.reshape(-1, D)
    z = before.reshape(-1, F)
    v = value.reshape(-1, F)
    open_ = 1 / (1 + np.exp(-z))

    back = drows @ w2.T
    dv = back * z * open_
    dz = back * v * open_ * (1 + z * (1 - open_))
    dx = (np.hstack([dv, dz]) @ np.hstack([w1, w_gate]).T).reshape(x.shape)
    return dx, rows.T @ dz, rows.T @ dv, (z * open_ * v).T @ drows
