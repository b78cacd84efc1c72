def learning_rate(step, d_model, warmup_steps):
    return np.where(
        step < warmup_steps, step / warmup_steps, np.sqrt(warmup_steps / step)
    ) / np.sqrt(d_model * warmup_steps)
