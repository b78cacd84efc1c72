def embed_backward(dy, ids, vocab_size):
    dtable = np.zeros((vocab_size, dy.shape[2]))
    for sentence, gradients in zip(ids, dy):
        for word, gradient in zip(sentence, gradients):
            if word != PAD:
                dtable[word] += gradient * len(gradient) ** 0.5
    return dtable
