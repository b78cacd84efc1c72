def greedy(model, n_sentences, bos, eos, pad, max_len):
    rows = np.arange(n_sentences)
    written = np.full((n_sentences, max_len + 1), pad, dtype=np.int32)
    written[:, 0] = bos
    costs = np.zeros((n_sentences, max_len))
    alive = rows
    for t in range(max_len):
        last = model(written[:, : t + 1])[:, t, :]
        best = np.argsort(last, axis=1)[:, -1]
        written[alive, t + 1] = best[alive]
        costs[alive, t] = last[alive, best[alive]]
        alive = alive[best[alive] != eos]
        if len(alive) == 0:
            break
    return written[:, 1:], costs.sum(1)
