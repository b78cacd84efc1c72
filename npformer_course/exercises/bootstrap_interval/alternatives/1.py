def drawn_differences(a, b, draws):
    return a[draws].mean(axis=1) - b[draws].mean(axis=1)


def bootstrap_interval(a, b, draws, level):
    means = drawn_differences(a, b, draws)
    percent = 50 * (1 - level)
    return np.percentile(means, percent), np.percentile(means, 100 - percent)
