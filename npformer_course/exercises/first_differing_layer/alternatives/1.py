def first_differing_layer(theirs, ours, tolerance):
    agree = [
        a.shape == b.shape and np.allclose(b, a, rtol=0, atol=tolerance * np.max(np.abs(a)))
        for a, b in zip(theirs, ours)
    ]
    return agree.index(False) if False in agree else len(agree)
