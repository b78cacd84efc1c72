def cross_entropy(z, q):
    # the second formula of the text
    return np.logaddexp.reduce(z) - z @ q


def gradient(z, q):
    p = np.exp(z - np.logaddexp.reduce(z))
    # through the matrix of softmax's derivatives, by way of the loss of each token
    jacobian = np.eye(len(z)) - p
    return -jacobian.T @ q
