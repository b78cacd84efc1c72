def center(x):
    sentences = []
    for sentence in x:
        sentences.append([row - row.mean() for row in sentence])
    return np.array(sentences)


def scale(x, weights):
    y = x.copy()
    for b in range(len(x)):
        for t in range(len(x[b])):
            y[b, t] *= weights[b, t]
    return y


def pick(scores, ids):
    rows = scores.reshape(-1, scores.shape[-1])
    picked = rows[np.arange(ids.size), ids.ravel()]
    return picked.reshape(ids.shape)
