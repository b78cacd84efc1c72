def off(a, b):
    if a.shape != b.shape:
        return np.inf
    return np.linalg.norm((a - b).ravel(), np.inf) / np.linalg.norm(a.ravel(), np.inf)


def first_differing_layer(theirs, ours, tolerance):
    differs = np.array([off(a, b) > tolerance for a, b in zip(theirs, ours)] + [True])
    return int(np.argmax(differs))
