def lstm_step(x, h_old, c_old, w, u, b):
    H = h_old.shape[1]
    gates = x @ w + h_old @ u + b
    offer = np.tanh(gates[:, 2 * H : 3 * H])
    gates = 0.5 + 0.5 * np.tanh(gates / 2)
    gates[:, 2 * H : 3 * H] = offer
    cell = gates[:, H : 2 * H] * c_old + gates[:, :H] * offer
    return np.tanh(cell) * gates[:, 3 * H :], cell, gates
