def masked_softmax(x, mask):
    y = np.zeros(x.shape)
    for b, h, t in np.ndindex(x.shape[:3]):
        visible = mask[b, 0, t]
        if visible.any():
            scores = x[b, h, t, visible]
            powers = np.exp(scores - scores.max())
            y[b, h, t, visible] = powers / powers.sum()
    return y
