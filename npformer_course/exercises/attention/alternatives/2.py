def attention(q, k, v, mask):
    powers = np.exp(np.einsum("bhtd,bhsd->bhts", q * k.shape[3] ** -0.5, k)) * mask
    total = powers.sum(3)
    y = np.einsum("bhts,bhsd->bhtd", powers, v)
    total[total == 0] = 1
    return y / total[..., None], powers / total[..., None]
