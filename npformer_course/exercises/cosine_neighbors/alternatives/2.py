def cosines(table, row):
    norms = np.linalg.norm(table, axis=1)
    return np.einsum("vd,d->v", table, table[row]) / (norms * norms[row])


def neighbors(table, row, n):
    found = np.array(cosines(table, row))
    found[row] = -np.inf
    return found.argsort()[::-1][:n]
