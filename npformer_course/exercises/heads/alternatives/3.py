def split_heads(x, n_heads):
    B, T, D = x.shape
    by_feature = x.transpose(0, 2, 1).reshape(B, n_heads, D // n_heads, T)
    return by_feature.transpose(0, 1, 3, 2)


def merge_heads(heads):
    B, H, T, d_k = heads.shape
    y = np.empty((B, T, H, d_k))
    for h in range(H):
        y[:, :, h] = heads[:, h]
    return y.reshape(B, T, -1)
