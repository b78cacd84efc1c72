def split_heads(x, n_heads):
    d_k = x.shape[-1] // n_heads
    heads = [x[:, :, h * d_k : (h + 1) * d_k] for h in range(n_heads)]
    return np.array(heads).transpose(1, 0, 2, 3)


def merge_heads(heads):
    B, H, T, d_k = heads.shape
    return np.einsum("bhtk->bthk", heads).reshape(B, T, H * d_k)
