def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    B, H, T, d_k = q.shape
    dx = np.zeros(dy.shape)
    dmemory = np.zeros((B, k.shape[2], dy.shape[2]))
    for b in range(B):
        for h in range(H):
            own = slice(h * d_k, (h + 1) * d_k)
            dhead = dy[b] @ w_output[own].T
            w = weights[b, h]
            dw = dhead @ v[b, h].T
            dscores = w * (dw - (w * dw).sum(-1, keepdims=True)) / math.sqrt(d_k)
            dx[b] += dscores @ k[b, h] @ w_query[:, own].T
            dmemory[b] += dscores.T @ q[b, h] @ w_key[:, own].T
            dmemory[b] += w.T @ dhead @ w_value[:, own].T
    return dx, dmemory


def decoder_backward(dy, backwards):
    if not backwards:
        return dy, 0
    below, top = backwards[-1](dy)
    dx, others = decoder_backward(below, backwards[:-1])
    return dx, others + top
