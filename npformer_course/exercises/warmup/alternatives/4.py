def learning_rate(step, d_model, warmup_steps):
    steps = np.atleast_1d(step)
    rates = np.zeros(len(steps))
    for i, one in enumerate(steps):
        rates[i] = min(one ** (-1 / 2), one * warmup_steps ** (-3 / 2)) / d_model ** (1 / 2)
    if np.ndim(step) == 0:
        return rates[0]
    return rates
