def lstm_backward(dh, dc, gates, c_old, c, u):
    H = dh.shape[1]
    i, f, g, o = (gates[:, n * H : (n + 1) * H] for n in range(4))
    at_cell = dc + dh * o / np.cosh(c) ** 2
    slopes = gates * (1 - gates)
    slopes[:, 2 * H : 3 * H] = 1 - g**2
    dz = np.hstack([at_cell * g, at_cell * c_old, at_cell * i, dh * np.tanh(c)]) * slopes
    return dz, np.einsum("bk,jk->bj", dz, u), f * at_cell
