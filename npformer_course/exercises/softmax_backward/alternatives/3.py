def softmax_backward(dy, y):
    dx = np.zeros(y.shape)
    for index in np.ndindex(y.shape[:-1]):
        row = y[index]
        slopes = np.diag(row) - np.outer(row, row)
        dx[index] = slopes @ dy[index]
    return dx
