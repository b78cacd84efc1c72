def count_pairs(words, counts):
    pairs = Counter()
    for ids, n in zip(words, counts):
        for place in range(1, len(ids)):
            pairs[(ids[place - 1], ids[place])] += n
    return pairs


def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def learn_merges(words, counts, n_merges):
    merges = []
    for k in range(n_merges):
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        if pairs[best] < 2:
            break
        merges.append(best)
        words = [merge(ids, best, 256 + k) for ids in words]
    return merges


def encode(ids, merges):
    for k, pair in enumerate(merges):
        if pair in pairwise(ids):
            ids = merge(ids, pair, 256 + k)
    return ids
