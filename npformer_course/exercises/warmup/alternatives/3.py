def learning_rate(step, d_model, warmup_steps):
    return np.min([1 / np.sqrt(step), step / warmup_steps**1.5], axis=0) / math.sqrt(d_model)
