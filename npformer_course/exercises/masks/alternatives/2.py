def padding_mask(ids, pad_id):
    return np.array([[[id != pad_id for id in row]] for row in ids.tolist()])


def causal_mask(length):
    return np.array([[key <= query for key in range(length)] for query in range(length)])


def target_mask(ids, pad_id):
    return np.array(
        [
            [[k <= q and row[k] != pad_id for k in range(len(row))] for q in range(len(row))]
            for row in ids
        ]
    )
