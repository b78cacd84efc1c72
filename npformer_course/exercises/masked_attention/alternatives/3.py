def masked_attention(q, k, v, mask):
    results = np.zeros((*q.shape[:3], v.shape[3]))
    weights = np.zeros((*q.shape[:3], k.shape[2]))
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = np.dot(q[b, h], k[b, h].T) * np.sqrt(1 / q.shape[3])
            weights[b, h] = masked_softmax(scores, mask[b, 0])
            results[b, h] = weights[b, h].dot(v[b, h])
    return results, weights


def mask_of_heads(mask, n_heads):
    return mask[np.arange(len(mask) * n_heads) // n_heads]
