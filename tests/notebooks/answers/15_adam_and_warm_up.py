"""What is written in notebook 15, wrong; everything in it is a function of an exercise."""

ANSWERS = {}
WRONG = {
    "move_one_number": """\
def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    return theta - lr * m / (np.sqrt(v) + eps), m, v
""",
    "adam_step": """\
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    after = [p - lr * g for p, g in zip(parameters, gradients, strict=True)]
    return after, state
""",
    "learning_rate": """\
def learning_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * np.minimum(step**-0.5, step * warmup_steps**-0.5)
""",
}
