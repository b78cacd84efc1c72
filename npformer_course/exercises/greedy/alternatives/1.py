def greedy(model, n_sentences, bos, eos, pad, max_len):
    lists, totals = [[] for _ in range(n_sentences)], [0.0] * n_sentences
    while len(max(lists, key=len)) < max_len and not all(eos in row for row in lists):
        width = len(max(lists, key=len))
        rows = np.array([[bos] + row + [pad] * (width - len(row)) for row in lists])
        said = model(rows)
        for b, row in enumerate(lists):
            if eos not in row:
                token = int(np.argmax(said[b, len(row)]))
                totals[b] += said[b, len(row), token]
                row.append(token)
    return np.array([row + [pad] * (max_len - len(row)) for row in lists]), np.array(totals)
