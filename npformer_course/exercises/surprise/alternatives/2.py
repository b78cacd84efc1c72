def surprise(logits, ids):
    log_p = logits - np.logaddexp.reduce(logits, axis=1)[:, None]
    return -np.take_along_axis(log_p, ids[:, None], axis=1)[:, 0]


def bits_per_character(nats):
    return np.average(nats * math.log2(math.e))
