def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    return adam_step_slowly(parameters, gradients, state, lr, beta1, beta2, eps)
