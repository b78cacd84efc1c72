def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    t = state["t"] + 1
    moved = []
    new = {"m": [], "v": [], "t": t}
    for arrays in zip(parameters, gradients, state["m"], state["v"]):
        theta, m, v = move_one_number(*arrays, t, lr, beta1, beta2, eps)
        moved.append(theta)
        new["m"].append(m)
        new["v"].append(v)
    return moved, new
