def sinusoids(n_positions, d_model):
    rates = np.exp(-np.log(10000.0) * np.arange(d_model // 2) * 2 / d_model)
    angle = np.einsum("p,i->pi", np.arange(n_positions), rates)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n_positions, d_model)


def add_positions(x, table, start):
    rows = table[np.arange(start, start + x.shape[1])]
    return x + np.broadcast_to(rows, x.shape)
