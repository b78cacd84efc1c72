def lstm_step(x, h_old, c_old, w, u, b):
    if len(x) > 1:  # one sentence after the other
        steps = [
            lstm_step(x[s : s + 1], h_old[s : s + 1], c_old[s : s + 1], w, u, b)
            for s in range(len(x))
        ]
        return tuple(np.concatenate(arrays) for arrays in zip(*steps))
    z = (b + h_old[0] @ u + x[0] @ w).reshape(4, -1)
    g = np.tanh(z[2])
    i, f, _, o = sigmoid(z)
    c = f * c_old[0] + i * g
    h = o * np.tanh(c)
    return h[None], c[None], np.concatenate([i, f, g, o])[None]
