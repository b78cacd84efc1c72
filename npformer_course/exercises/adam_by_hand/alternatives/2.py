def running_mean(mean, new, beta):
    return np.average([mean, new], weights=[beta, 1 - beta])


def corrected(mean, beta, t):
    return mean / -np.expm1(t * np.log(beta))


def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    means = np.array([m, v]) * [beta1, beta2] + np.array([g, g**2]) * [1 - beta1, 1 - beta2]
    first, second = means / (1 - np.array([beta1, beta2]) ** t)
    return theta - lr * first / (math.sqrt(second) + eps), means[0], means[1]
