def padding_mask(ids, pad_id):
    return np.expand_dims(ids != pad_id, 1)


def causal_mask(length):
    future = np.triu(np.ones((length, length)), k=1)
    return ~future.astype(bool)


def target_mask(ids, pad_id):
    B, T = ids.shape
    allowed = np.repeat(causal_mask(T)[None], B, axis=0)
    is_word = np.repeat(padding_mask(ids, pad_id), T, axis=1)
    allowed[is_word == False] = False
    return allowed
