def attention_backward(dy, q, k, v, weights):
    turned = (0, 1, 3, 2)
    y = np.matmul(weights, v)
    dW = np.matmul(dy, np.transpose(v, turned))
    dX = weights * (dW - np.sum(dy * y, axis=-1)[:, :, :, np.newaxis])
    dX *= q.shape[3] ** -0.5
    dQ = np.matmul(dX, k)
    dK = np.transpose(np.matmul(np.transpose(q, turned), dX), turned)
    dV = np.matmul(np.transpose(weights, turned), dy)
    return dQ, dK, dV
