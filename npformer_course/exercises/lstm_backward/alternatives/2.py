def lstm_backward(dh, dc, gates, c_old, c, u):
    i, f, g, o = np.hsplit(gates, 4)
    h = o * np.tanh(c)
    dcell = dc + dh * (o - h * np.tanh(c))
    dz = np.empty(gates.shape)
    H = h.shape[-1]
    dz[:, :H] = (i - i**2) * dcell * g
    dz[:, H : -2 * H] = (f - f**2) * dcell * c_old
    dz[:, -2 * H : -H] = dcell * (i - i * g**2)
    dz[:, -H:] = dh * h * (1 - o)
    return dz, (u @ dz.T).T, f * dcell
