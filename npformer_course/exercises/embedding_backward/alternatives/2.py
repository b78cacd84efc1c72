def embed_backward(dy, ids, vocab_size):
    one_hot = (ids[..., None] == np.arange(vocab_size)).astype(float)
    chosen = one_hot * (ids != PAD)[..., None]
    return np.einsum("btv,btd->vd", chosen, dy) * dy.shape[-1] ** 0.5
