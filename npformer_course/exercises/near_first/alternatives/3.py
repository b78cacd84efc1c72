def near_first(scores, slopes):
    S = scores.shape[-1]
    far = np.subtract.outer(range(S), range(S))
    far = np.maximum(far, -far)
    return np.moveaxis(np.moveaxis(scores, 1, -1) - far[..., None] * slopes, -1, 1)


def slope_for(distance, ratio):
    return np.log(ratio ** (-1 / distance))
