def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    new = {"m": [], "v": [], "t": state["t"] + 1}
    first, second = 1 - math.pow(beta1, new["t"]), 1 - math.pow(beta2, new["t"])
    result = []
    for i in range(len(parameters)):
        new["m"].append(state["m"][i] + (1 - beta1) * (gradients[i] - state["m"][i]))
        new["v"].append(state["v"][i] + (1 - beta2) * (gradients[i] ** 2 - state["v"][i]))
        rate = lr * math.sqrt(second) / first
        result.append(
            parameters[i] - rate * new["m"][i] / (new["v"][i] ** 0.5 + eps * math.sqrt(second))
        )
    return result, new
