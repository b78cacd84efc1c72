def reaches(array):
    return np.linalg.norm(array.ravel(), np.inf)


def first_differing_layer(theirs, ours, tolerance):
    differs = [
        a.shape != b.shape or reaches(a - b) > tolerance * reaches(a) for a, b in zip(theirs, ours)
    ]
    return int(np.argmax([*differs, True]))
