def embed_backward(dy, ids, vocab_size):
    rows = [np.zeros(dy.shape[-1])]
    for word in range(1, vocab_size):
        rows.append(dy[ids == word].sum(0) * np.sqrt(dy.shape[-1]))
    return np.stack(rows)
