def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    new = {"m": [], "v": [], "t": state["t"] + 1}
    first = 1 - beta1 ** new["t"]
    second = 1 - beta2 ** new["t"]
    rate = lr * np.sqrt(second) / first
    result = []
    for i in range(len(parameters)):
        m = state["m"][i] + (1 - beta1) * (gradients[i] - state["m"][i])
        v = state["v"][i] + (1 - beta2) * (gradients[i] ** 2 - state["v"][i])
        result.append(parameters[i] - rate * m / (v**0.5 + eps * np.sqrt(second)))
        new["m"].append(m)
        new["v"].append(v)
    return result, new
