def attention(q, k, v, mask):
    mask = np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    pairs = []
    for Q, K, V, M in zip(*(x.reshape(-1, *x.shape[2:]) for x in (q, k, v, mask))):
        W = masked_softmax(np.dot(Q, K.T) * np.sqrt(1 / Q.shape[1]), M)
        pairs.append((W.dot(V), W))
    y, weights = (np.array(many) for many in zip(*pairs))
    return y.reshape(*q.shape[:2], *y.shape[1:]), weights.reshape(*q.shape[:2], *weights.shape[1:])
