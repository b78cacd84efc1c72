def feed_forward(x, w1, b1, w2, b2):
    y = np.zeros(x.shape)
    hidden = np.zeros((*x.shape[:-1], len(b1)))
    for index in np.ndindex(x.shape[:-1]):
        for f in range(len(b1)):
            hidden[index][f] = max(0.0, x[index] @ w1[:, f] + b1[f])
        y[index] = hidden[index] @ w2 + b2
    return y, hidden
