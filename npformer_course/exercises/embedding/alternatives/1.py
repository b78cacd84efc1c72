def embed(ids, table):
    y = np.zeros((*ids.shape, table.shape[1]))
    for b, sentence in enumerate(ids):
        for t, word in enumerate(sentence):
            y[b, t] = table[word] * len(table[word]) ** 0.5
    return y
