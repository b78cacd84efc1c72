def padding_mask(ids, pad_id):
    rows = []
    for row in ids.tolist():
        rows.append([[id != pad_id for id in row]])
    return np.array(rows)


def causal_mask(length):
    rows = []
    for query in range(length):
        rows.append([key <= query for key in range(length)])
    return np.array(rows)


def target_mask(ids, pad_id):
    B, T = ids.shape
    mask = np.full((B, T, T), False)
    for query in range(T):
        mask[:, query, : query + 1] = ids[:, : query + 1] != pad_id
    return mask
