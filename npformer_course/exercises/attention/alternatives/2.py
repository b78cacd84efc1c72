def attention(q, k, v, mask):
    scores = np.einsum("bhtd,bhsd->bhts", q * k.shape[3] ** -0.5, k)
    powers = np.exp(scores) * mask
    y = np.einsum("bhts,bhsd->bhtd", powers, v)
    total = powers.sum(3)
    total[total == 0] = 1
    return y / total[..., None], powers / total[..., None]
