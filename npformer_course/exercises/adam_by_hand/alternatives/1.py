def running_mean(mean, new, beta):
    return mean + (1 - beta) * (new - mean)


def corrected(mean, beta, t):
    weights = sum((1 - beta) * beta**i for i in range(t))
    return mean / weights


def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = running_mean(m, g, beta1)
    v = running_mean(v, g * g, beta2)
    theta = theta - lr * corrected(m, beta1, t) / (corrected(v, beta2, t) ** 0.5 + eps)
    return theta, m, v
