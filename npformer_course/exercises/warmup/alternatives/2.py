def learning_rate(step, d_model, warmup_steps):
    rising = step / warmup_steps
    falling = np.sqrt(warmup_steps / step)
    highest = 1 / np.sqrt(d_model * warmup_steps)
    return np.where(step < warmup_steps, rising, falling) * highest
