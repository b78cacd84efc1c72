def masked_softmax(x, mask):
    allowed = np.broadcast_to(mask, x.shape).astype(float)
    lowest = x.min()
    peak = ((x - lowest) * allowed).max(-1, keepdims=True) + lowest
    powers = np.exp(np.minimum(x - peak, 0)) * allowed
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)
