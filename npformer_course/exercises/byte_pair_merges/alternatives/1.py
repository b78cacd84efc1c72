def count_pairs(words, counts):
    found = {}
    for w in range(len(words)):
        for i in range(len(words[w]) - 1):
            pair = words[w][i], words[w][i + 1]
            found[pair] = found.get(pair, 0) + counts[w]
    return found


def merge(ids, pair, new_id):
    ids = list(ids)
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i : i + 2] = [new_id]
        i += 1
    return ids


def learn_merges(words, counts, n_merges):
    merges = []
    while len(merges) < n_merges:
        pairs = count_pairs(words, counts)
        ordered = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
        if not ordered or pairs[ordered[0]] == 1:
            return merges
        words = [merge(word, ordered[0], 256 + len(merges)) for word in words]
        merges.append(ordered[0])
    return merges


def encode(ids, merges):
    rank = {pair: k for k, pair in enumerate(merges)}
    while True:
        known = [pair for pair in zip(ids, ids[1:]) if pair in rank]
        if not known:
            return ids
        first = min(known, key=rank.get)
        ids = merge(ids, first, 256 + rank[first])
