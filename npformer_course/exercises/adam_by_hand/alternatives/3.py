def running_mean(mean, new, beta):
    return new + (mean - new) * beta


def corrected(mean, beta, t):
    return mean / (1.0 - math.pow(beta, t))


def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    # one factor for both corrections, as in section 2 of Kingma and Ba
    root = math.sqrt(1 - beta2**t)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    return [theta - lr * root / (1 - beta1**t) * m / (math.sqrt(v) + eps * root), m, v]
