def masked_attention(q, k, v, mask):
    mask = np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    B, H, T, d_k = q.shape
    S, d_v = v.shape[2:]
    y = np.zeros((B, H, T, d_v))
    weights = np.zeros((B, H, T, S))
    for b, h, t in np.ndindex(B, H, T):
        visible = mask[b, h, t]
        if visible.any():
            powers = np.exp(k[b, h, visible] @ q[b, h, t] / d_k**0.5)
            weights[b, h, t, visible] = powers / powers.sum()
            y[b, h, t] = weights[b, h, t] @ v[b, h]
    return y, weights


def mask_of_heads(mask, n_heads):
    repeated = []
    for sentence in mask:
        for _ in range(n_heads):
            repeated.append(sentence)
    return np.array(repeated)
