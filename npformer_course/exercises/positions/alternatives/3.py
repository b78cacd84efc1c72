def sinusoids(n_positions, d_model):
    feature = np.arange(d_model)
    turn = np.power(10000.0, -(feature - feature % 2) / d_model)
    return np.sin(np.outer(np.arange(n_positions), turn) + feature % 2 * np.pi / 2)


def add_positions(x, table, start):
    y = x.copy()
    y += table[start:][: x.shape[1]]
    return y
