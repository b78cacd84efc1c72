def padding_mask(ids, pad_id):
    return np.expand_dims(ids != pad_id, 1)


def causal_mask(length):
    return ~np.triu(np.ones((length, length)), k=1).astype(bool)


def target_mask(ids, pad_id):
    allowed = np.repeat(causal_mask(ids.shape[1])[None], len(ids), axis=0)
    allowed[np.repeat(padding_mask(ids, pad_id), ids.shape[1], axis=1) == False] = False
    return allowed
