def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    flat_p, flat_g, flat_m, flat_v = (
        np.concatenate([x.ravel() for x in arrays])
        for arrays in (parameters, gradients, state["m"], state["v"])
    )
    flat_m = beta1 * flat_m + (1 - beta1) * flat_g
    flat_v = beta2 * flat_v + (1 - beta2) * np.square(flat_g)
    t = state["t"] + 1
    flat_p = flat_p - lr * (flat_m / (1 - beta1**t)) / (np.sqrt(flat_v / (1 - beta2**t)) + eps)
    ends = np.cumsum([p.size for p in parameters])[:-1]

    def cut(flat):
        return [piece.reshape(p.shape) for piece, p in zip(np.split(flat, ends), parameters)]

    return cut(flat_p), {"m": cut(flat_m), "v": cut(flat_v), "t": t}
