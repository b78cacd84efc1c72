def previous_scores(weights):
    return np.array([np.trace(head[1:, :-1]) / (len(head) - 1) for head in weights])


def induction_scores(weights, ids):
    last = {}
    total, n = 0, 0
    for t, token in enumerate(ids.tolist()):
        if token in last:
            total = total + weights[:, t, last[token] + 1]
            n += 1
        last[token] = t
    return total / n
