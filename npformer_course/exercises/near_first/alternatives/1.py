def near_first(scores, slopes):
    i, j = np.indices(scores.shape[-2:])
    return scores - np.einsum("h,ij->hij", slopes, np.abs(i - j))


def slope_for(distance, ratio):
    return np.log(1 / ratio) / distance
