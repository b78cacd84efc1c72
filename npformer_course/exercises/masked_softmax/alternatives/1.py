def masked_softmax(x, mask):
    mask = np.broadcast_to(mask, x.shape)
    y = np.zeros(x.shape)
    for b, h, t in np.ndindex(x.shape[:3]):
        visible = mask[b, h, t]
        if visible.any():
            scores = x[b, h, t, visible]
            powers = np.exp(scores - scores.max())
            y[b, h, t, visible] = powers / powers.sum()
    return y
