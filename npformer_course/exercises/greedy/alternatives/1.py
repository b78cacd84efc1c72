def greedy(model, n_sentences, bos, eos, pad, max_len):
    lists = [[] for _ in range(n_sentences)]
    totals = [0.0] * n_sentences
    for t in range(max_len):
        if all(eos in row for row in lists):
            break
        rows = [[bos] + row + [pad] * (t - len(row)) for row in lists]
        following = model(np.array(rows))
        for b, row in enumerate(lists):
            if eos not in row:
                token = int(np.argmax(following[b, t]))
                totals[b] += following[b, t, token]
                row.append(token)
    ids = [row + [pad] * (max_len - len(row)) for row in lists]
    return np.array(ids), np.array(totals)
