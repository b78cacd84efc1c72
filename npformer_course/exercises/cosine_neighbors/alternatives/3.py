def cosines(table, row):
    # from the squares of distances between ends of rows of length 1
    unit = table / np.hypot.reduce(table, axis=1)[:, None]
    return 1 - ((unit - unit[row]) ** 2).sum(1) / 2


def neighbors(table, row, n):
    others = np.delete(np.arange(len(table)), row)
    found = np.delete(cosines(table, row), row)
    return others[np.lexsort([-found])][:n]
