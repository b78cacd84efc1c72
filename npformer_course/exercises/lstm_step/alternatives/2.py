def lstm_step(x, h_old, c_old, w, u, b):
    both = np.hstack([x, h_old])
    sums = both @ np.vstack([w, u]) + b
    parts = []
    for name, z in zip("ifgo", np.hsplit(sums, 4)):
        parts.append(np.tanh(z) if name == "g" else sigmoid(z))
    i, f, g, o = parts
    c = np.add(f * c_old, i * g)
    return o * np.tanh(c), c, np.hstack(parts)
