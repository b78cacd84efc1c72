def padding_mask(ids, pad_id):
    B, S = ids.shape
    return np.not_equal(ids, pad_id).reshape(B, 1, S)


def causal_mask(length):
    t = np.arange(length)
    return t[:, None] >= t


def target_mask(ids, pad_id):
    hidden = (ids == pad_id)[:, None, :] | ~causal_mask(ids.shape[1])
    return np.logical_not(hidden)
