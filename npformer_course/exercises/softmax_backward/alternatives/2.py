def softmax_backward(dy, y):
    g = dy * y
    return g - y * np.sum(g, axis=-1)[..., None]
