def attention_backward(dy, q, k, v, weights):
    y = np.matmul(weights, v)
    dW = np.matmul(dy, np.transpose(v, (0, 1, 3, 2)))
    dX = weights * (dW - np.sum(dy * y, axis=-1)[:, :, :, np.newaxis])
    dX *= q.shape[3] ** -0.5
    dK = np.transpose(np.matmul(np.transpose(q, (0, 1, 3, 2)), dX), (0, 1, 3, 2))
    return np.matmul(dX, k), dK, np.matmul(np.transpose(weights, (0, 1, 3, 2)), dy)
