def smooth_targets(targets, vocab_size, eps):
    q = np.full((*targets.shape, vocab_size), eps / vocab_size)
    np.put_along_axis(q, targets[..., None], 1 - eps + eps / vocab_size, -1)
    return q


def cross_entropy(logits, q, real):
    z = logits[real]
    z = z - z.max(-1, keepdims=True)
    losses = np.log(np.exp(z).sum(-1)) - (q[real] * z).sum(-1)
    return float(np.mean(losses))


def cross_entropy_backward(logits, q, real):
    dlogits = np.zeros_like(logits)
    e = np.exp(logits[real] - logits[real].max(-1, keepdims=True))
    dlogits[real] = (e / e.sum(-1, keepdims=True) - q[real]) / real.sum()
    return dlogits
