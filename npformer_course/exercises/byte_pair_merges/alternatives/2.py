import numpy as np


def count_pairs(words, counts):
    pairs = Counter()
    for ids, n in zip(words, counts):
        pairs.update(list(pairwise(ids)) * n)
    return dict(pairs)


def merge(ids, pair, new_id):
    text = "".join(chr(id) for id in ids)
    return np.array([ord(c) for c in text.replace(chr(pair[0]) + chr(pair[1]), chr(new_id))])


def learn_merges(words, counts, n_merges):
    words = [list(ids) for ids in words]
    merges = np.zeros((0, 2), int)
    for k in range(n_merges):
        pairs = count_pairs(words, counts)
        order = [(-n, pair) for pair, n in pairs.items()]
        n, pair = min(order, default=(0, ()))
        if -n > 1:
            merges = np.append(merges, [pair], 0)
            words = [merge(ids, pair, 256 + k).tolist() for ids in words]
    return merges


def encode(ids, merges):
    if not merges:
        return ids
    return merge(encode(ids, merges[:-1]), merges[-1], 255 + len(merges))
