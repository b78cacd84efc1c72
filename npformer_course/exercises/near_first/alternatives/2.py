def near_first(scores, slopes):
    result = scores.copy()
    S = result.shape[-1]
    for i in range(S):
        for j in range(S):
            result[:, :, i, j] -= slopes * max(i - j, j - i)
    return result


def slope_for(distance, ratio):
    import math

    return math.log(ratio) / -distance
