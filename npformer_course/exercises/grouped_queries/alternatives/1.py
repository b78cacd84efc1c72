def grouped_attention(q, k, v):
    B, H, T, d_k = q.shape
    G = k.shape[1]
    y, weights = attention(q.reshape(B, G, H // G, T, d_k), k[:, :, None], v[:, :, None])
    return y.reshape(B, H, T, -1), weights.reshape(B, H, T, -1)
