def links(weights):
    table = np.full(weights.shape, False)
    table[range(len(weights)), np.argsort(weights, axis=1)[:, -1]] = True
    return table


def alignment_error_rate(found, gold):
    # each link that stands in one table only counts once, each in both twice
    return np.logical_xor(found, gold).sum() / np.add(found, gold, dtype=int).sum()
