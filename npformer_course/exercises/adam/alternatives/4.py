def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    # a copy of the whole state, whose lists may then be filled in place
    state = {"m": list(state["m"]), "v": list(state["v"]), "t": state["t"]}
    state["t"] += 1
    moved = list(parameters)
    for i, g in enumerate(gradients):
        state["m"][i] = beta1 * state["m"][i] + (1 - beta1) * g
        state["v"][i] = beta2 * state["v"][i] + (1 - beta2) * g**2
        m_hat = state["m"][i] / (1 - beta1 ** state["t"])
        v_hat = state["v"][i] / (1 - beta2 ** state["t"])
        moved[i] = moved[i] - lr * m_hat / (v_hat**0.5 + eps)
    return moved, state
