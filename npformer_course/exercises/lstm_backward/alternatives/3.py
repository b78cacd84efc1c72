def lstm_backward(dh, dc, gates, c_old, c, u):
    i, f, g, o = gates.reshape(len(dh), 4, -1).transpose(1, 0, 2)
    total = dc.copy()
    total += dh * o
    total -= dh * o * np.tanh(c) ** 2
    by_block = {
        "i": total * g * i * (1 - i),
        "f": total * c_old * f * (1 - f),
        "g": total * i * (1 + g) * (1 - g),
        "o": dh * np.tanh(c) * o * (1 - o),
    }
    dh_old = sum(by_block[name] @ block.T for name, block in zip("ifgo", np.split(u, 4, axis=1)))
    return np.concatenate(list(by_block.values()), axis=1), dh_old, total * f
