def masked_attention(q, k, v, mask):
    scores = np.einsum("bhtd,bhsd->bhts", q * k.shape[3] ** -0.5, k)
    powers = np.exp(scores) * mask
    y = np.einsum("bhts,bhsd->bhtd", powers, v)
    total = powers.sum(3)
    total[total == 0] = 1
    return y / total[..., None], powers / total[..., None]


def mask_of_heads(mask, n_heads):
    many = np.broadcast_to(mask[:, None], (len(mask), n_heads, *mask.shape[1:]))
    return many.reshape(-1, *mask.shape[1:])
