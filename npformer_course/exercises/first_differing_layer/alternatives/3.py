def first_differing_layer(theirs, ours, tolerance):
    if not theirs:
        return 0
    a, b = theirs[0], ours[0]
    if np.shape(a) != np.shape(b) or np.ptp(
        [0, *(a - b).flat, *(b - a).flat]
    ) > 2 * tolerance * max(a.max(), -a.min()):
        return 0
    return 1 + first_differing_layer(theirs[1:], ours[1:], tolerance)
