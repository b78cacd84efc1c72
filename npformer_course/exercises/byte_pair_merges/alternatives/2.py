def count_pairs(words, counts):
    all_pairs = [pair for ids, n in zip(words, counts) for pair in list(pairwise(ids)) * n]
    return dict(Counter(all_pairs))


def merge(ids, pair, new_id):
    text = "".join(chr(id) for id in ids)
    return np.array([ord(c) for c in text.replace(chr(pair[0]) + chr(pair[1]), chr(new_id))])


def learn_merges(words, counts, n_merges):
    words, merges = [list(ids) for ids in words], np.zeros((0, 2), int)
    for k in range(n_merges):
        pairs = count_pairs(words, counts)
        n, a, b = max([(n, -a, -b) for (a, b), n in pairs.items()] + [(0, 0, 0)])
        if n > 1:
            merges = np.append(merges, [[-a, -b]], 0)
            words = [merge(ids, (-a, -b), 256 + k).tolist() for ids in words]
    return merges


def encode(ids, merges):
    return merge(encode(ids, merges[:-1]), merges[-1], 255 + len(merges)) if merges else ids


import numpy as np
