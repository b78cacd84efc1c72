def flat(arrays):
    return np.concatenate([x.ravel() for x in arrays])


def cut(numbers, like):
    ends = np.cumsum([x.size for x in like])[:-1]
    pieces = np.split(numbers, ends)
    return [piece.reshape(x.shape) for piece, x in zip(pieces, like)]


def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    t = state["t"] + 1
    g = flat(gradients)
    m = beta1 * flat(state["m"]) + (1 - beta1) * g
    v = beta2 * flat(state["v"]) + (1 - beta2) * np.square(g)
    step = lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    moved = cut(flat(parameters) - step, parameters)
    return moved, {"m": cut(m, parameters), "v": cut(v, parameters), "t": t}
