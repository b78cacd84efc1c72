def cosines(table, row):
    return [
        np.dot(table[row], other) / math.hypot(*table[row]) / math.hypot(*other) for other in table
    ]


def neighbors(table, row, n):
    found = cosines(table, row)
    others = [v for v in range(len(table)) if v != row]
    return sorted(others, key=lambda v: -found[v])[:n]
