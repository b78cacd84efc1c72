def attention(q, k, v):
    y = np.zeros((*q.shape[:-1], v.shape[-1]))
    weights = np.zeros((*q.shape[:-1], k.shape[-2]))
    for place in np.ndindex(q.shape[:-1]):
        sentence = place[:-1]
        powers = np.exp(k[sentence] @ q[place] / q.shape[-1] ** 0.5)
        weights[place] = powers / powers.sum()
        y[place] = weights[place] @ v[sentence]
    return y, weights
