def smooth_targets(targets, vocab_size, eps):
    q = np.zeros(targets.shape + (vocab_size,))
    rows, columns = np.indices(targets.shape)
    q[rows, columns, targets] = 1 - eps
    q += eps / vocab_size
    return q


def cross_entropy(logits, q, real):
    top = logits.max(axis=2)
    log_sum = top + np.log(np.exp(logits - top[:, :, None]).sum(axis=2))
    losses = log_sum * q.sum(axis=2) - np.einsum("btv,btv->bt", q, logits)
    return np.where(real, losses, 0).sum() / np.count_nonzero(real)


def cross_entropy_backward(logits, q, real):
    flat = logits.reshape(-1, logits.shape[-1])
    p = np.exp(flat - flat.max(1)[:, None])
    p /= p.sum(1)[:, None]
    d = np.where(real.reshape(-1)[:, None], p - q.reshape(flat.shape), 0.0)
    return (d / sum(real.reshape(-1))).reshape(logits.shape)
