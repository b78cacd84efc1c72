def attention_backward(dy, q, k, v, weights):
    W = weights
    dX = W * np.einsum("bhte,bhse->bhts", dy, v)
    dX = (dX - W * dX.sum(3)[..., None]) / np.sqrt(k.shape[3])
    dQ = np.einsum("bhts,bhsd->bhtd", dX, k)
    dK = np.einsum("bhts,bhtd->bhsd", dX, q)
    dV = np.einsum("bhts,bhte->bhse", W, dy)
    return dQ, dK, dV
