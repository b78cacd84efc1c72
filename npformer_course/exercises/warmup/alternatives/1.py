def learning_rate(step, d_model, warmup_steps):
    if np.ndim(step):
        return np.array([learning_rate_slowly(int(one), d_model, warmup_steps) for one in step])
    return learning_rate_slowly(step, d_model, warmup_steps)
