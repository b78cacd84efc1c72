def drawn_differences(a, b, draws):
    means = []
    for row in draws:
        means.append(np.mean([a[i] - b[i] for i in row]))
    return np.array(means)


def bootstrap_interval(a, b, draws, level):
    means = np.sort(drawn_differences(a, b, draws))
    places = np.array([(1 - level) / 2, (1 + level) / 2]) * (len(means) - 1)
    return tuple(np.interp(places, np.arange(len(means)), means))
