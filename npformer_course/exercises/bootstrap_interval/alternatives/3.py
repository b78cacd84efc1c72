def drawn_differences(a, b, draws):
    counts = np.stack([np.bincount(row, minlength=len(a)) for row in draws])  # (R, N)
    return counts @ (a - b) / draws.shape[1]


def bootstrap_interval(a, b, draws, level):
    return tuple(np.quantile(drawn_differences(a, b, draws), [0.5 - level / 2, 0.5 + level / 2]))
