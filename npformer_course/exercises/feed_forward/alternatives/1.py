def feed_forward(x, w1, b1, w2, b2):
    before = x @ w1 + b1
    hidden = np.where(before < 0, 0.0, before)
    return hidden @ w2 + b2, hidden
